package zwave

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"voicegateway/internal/zwave/wire"
)

// Bounds of what is taken from a list of nodes, so that no list fills the memory. They
// are wider than any Z-Wave network: it has 232 nodes, one of Long Range 4,000, and the
// largest devices known have some hundred values.
const (
	maxNodes      = 232 + 4_000
	maxNodeValues = 1_000
	maxValues     = 40_000   // of all nodes; where there are more, those with most values lose some
	minNodeValues = 7        // so many values of each node are always taken
	maxEntities   = 12_000   // of all nodes, in the same way; each takes some kilobytes
	maxMember     = 16 << 10 // bytes of JSON of one value or one member of a node
	maxList       = 16 << 20 // bytes of JSON of all that is taken
	maxNested     = 1 << 10  // bytes of JSON of a value's state, where it is a list or an object
	maxTold       = 10       // how many of the nodes that lose something are named
)

// nodeList is what was taken from a list of nodes.
type nodeList struct {
	nodes   map[int]*node
	skipped []error  // the first of what cannot be read
	odd     int      // how many those are in all
	left    []string // what is over the bounds, in words
}

// decodeNodes reads the result of getNodes. What cannot be read is left out and
// reported in skipped, so that one odd node does not hide the house.
func decodeNodes(result json.RawMessage) (nodes map[int]*node, skipped []error, err error) {
	l, err := readList(result)
	if err != nil {
		return nil, nil, err
	}
	return l.nodes, l.skipped, nil
}

// readList reads the result of getNodes member by member, and takes no more than the
// bounds allow. What follows the result is ignored.
func readList(result []byte) (*nodeList, error) {
	r := listReader{dec: json.NewDecoder(bytes.NewReader(result)), texts: interner{}, most: maxNodeValues, nodes: map[int]*nodeEntry{}}
	opened, err := r.dec.Token()
	if err == nil && opened != json.Delim('[') {
		err = errors.New("expected a list")
	}
	for err == nil && r.dec.More() {
		err = r.readNode()
	}
	if err == nil {
		_, err = r.dec.Token()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer of getNodes: %w", err)
	}
	return r.finish(), nil
}

// nodeEntry is a node of a list; some of its values may have been left out.
type nodeEntry struct {
	node   *node
	values []*value // in the order of the list
	sizes  []int    // bytes of JSON of each
	left   int      // values that were left out
	long   int      // of these, how many for their own length
}

// listReader reads one list.
type listReader struct {
	dec   *json.Decoder
	raw   json.RawMessage // the member that is being read; its room is used again
	texts interner

	nodes   map[int]*nodeEntry
	skipped []error
	odd     int
	surplus int // nodes that were left out
	most    int // values of one node that are taken
	values  int // that were taken
	bytes   int // of JSON that were taken
}

// skip counts something that cannot be read.
func (r *listReader) skip(err error) {
	if r.odd++; len(r.skipped) < maxTold {
		r.skipped = append(r.skipped, err)
	}
}

// readNode reads the next member of the list. Its error is one of the list as a whole.
func (r *listReader) readNode() error {
	opened, err := r.dec.Token()
	if opened != json.Delim('{') {
		r.skip(errors.New("reading a node: expected an object"))
		if opened == json.Delim('[') {
			err = cmp.Or(err, r.skipRest())
		}
		return err
	}
	var raw rawNode
	var wrong error
	before := r.bytes
	in := &nodeEntry{}
	for r.dec.More() {
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		if key == "values" {
			if err := r.readValues(in); err != nil {
				return err
			}
			continue
		}
		if err := r.dec.Decode(&r.raw); err != nil {
			return err
		}
		name, _ := key.(string)
		member := raw.member(name)
		switch {
		case member == nil:
		case len(r.raw) > maxMember:
			wrong = cmp.Or(wrong, fmt.Errorf("its %s has %d bytes", name, len(r.raw)))
		default:
			r.bytes += len(r.raw)
			wrong = cmp.Or(wrong, json.Unmarshal(r.raw, member))
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return err
	}
	r.add(&raw, in, wrong, before)
	return nil
}

// add takes a node that was read; before is how many bytes were taken before it.
func (r *listReader) add(raw *rawNode, in *nodeEntry, wrong error, before int) {
	drop := func() {
		r.values -= len(in.values)
		r.bytes = before
	}
	former, again := r.nodes[raw.ID]
	switch {
	case wrong != nil:
		r.skip(fmt.Errorf("reading a node: %w", wrong))
		drop()
	case raw.ID <= 0:
		r.skip(errors.New("a node without an id"))
		drop()
	case bool(raw.Virtual) || bool(raw.Controller) || raw.ID == wire.Broadcast:
		drop()
	case !again && len(r.nodes) >= maxNodes, r.most <= minNodeValues && r.bytes > maxList:
		r.surplus++
		drop()
	default:
		if again {
			r.values -= len(former.values)
		}
		in.node = raw.node()
		r.nodes[raw.ID] = in
	}
}

// readValues reads the values of a node, which are a list or an object.
func (r *listReader) readValues(in *nodeEntry) error {
	opened, err := r.dec.Token()
	if err != nil || opened != json.Delim('[') && opened != json.Delim('{') {
		return err
	}
	for r.dec.More() {
		if opened == json.Delim('{') {
			if _, err := r.dec.Token(); err != nil { // the key, which the value tells as well
				return err
			}
		}
		if err := r.dec.Decode(&r.raw); err != nil {
			return err
		}
		r.readValue(in)
	}
	_, err = r.dec.Token()
	return err
}

// readValue takes the value that was read, unless it is over a bound.
func (r *listReader) readValue(in *nodeEntry) {
	switch {
	case len(r.raw) > maxMember:
		in.long++
		in.left++
		return
	case len(in.values) >= r.most:
		in.left++
		return
	}
	var v rawValue
	if err := json.Unmarshal(r.raw, &v); err != nil || v.Class <= 0 || wire.Text(v.Property) == "" {
		r.skip(fmt.Errorf("a value of command class %d cannot be read (%w)", v.Class, errors.Join(err, errOddValue)))
		return
	}
	if v.Class == userCode {
		return
	}
	in.values = append(in.values, v.value(r.texts))
	in.sizes = append(in.sizes, len(r.raw))
	r.values++
	r.bytes += len(r.raw)
	for (r.values > maxValues || r.bytes > maxList) && r.most > minNodeValues {
		r.most -= max(r.most/8, 1)
		r.trim(in)
		for _, other := range r.nodes {
			r.trim(other)
		}
	}
}

// trim leaves out what a node has beyond the values that are taken of each.
func (r *listReader) trim(in *nodeEntry) {
	surplus := len(in.values) - r.most
	if surplus <= 0 {
		return
	}
	for _, size := range in.sizes[r.most:] {
		r.bytes -= size
	}
	clear(in.values[r.most:])
	in.values, in.sizes = in.values[:r.most], in.sizes[:r.most]
	in.left += surplus
	r.values -= surplus
}

// skipRest reads to the end of a list or object that has been opened.
func (r *listReader) skipRest() error {
	for depth := 1; depth > 0; {
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil
}

// finish puts the nodes together with their values, and what was left out into words.
func (r *listReader) finish() *nodeList {
	l := &nodeList{nodes: make(map[int]*node, len(r.nodes)), skipped: r.skipped, odd: r.odd}
	if r.surplus > 0 {
		l.left = append(l.left, fmt.Sprintf("%d nodes, because %d are taken", r.surplus, len(r.nodes)))
	}
	var losers []string
	for _, id := range slices.Sorted(maps.Keys(r.nodes)) {
		in := r.nodes[id]
		in.node.values = make(map[wire.ValueID]*value, len(in.values))
		for _, v := range in.values {
			v.Address.Node = id
			in.node.values[v.Address] = v
		}
		l.nodes[id] = in.node
		switch in.left {
		case 0:
		case in.long:
			losers = append(losers, fmt.Sprintf("%d values of node %d that are longer than %d bytes", in.left, id, maxMember))
		default:
			losers = append(losers, fmt.Sprintf("%d of %d values of node %d", in.left, in.left+len(in.values), id))
		}
	}
	l.left = append(l.left, shorten(losers)...)
	return l
}

// shorten names the first of the nodes that lose something, and counts the others.
func shorten(losers []string) []string {
	if more := len(losers) - maxTold; more > 0 {
		return append(losers[:maxTold:maxTold], fmt.Sprintf("something of %d more nodes", more))
	}
	return losers
}
