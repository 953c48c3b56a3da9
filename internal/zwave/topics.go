package zwave

import (
	"maps"
	"slices"

	"voicegateway/internal/zwave/wire"
)

// topicIndex says which value a topic stands for. It is computed from the nodes
// by the gateway's own rules, because a name cannot be read back from a topic.
type topicIndex struct {
	scheme    wire.Scheme
	values    map[string]wire.ValueID   // by the topic below the prefix
	twins     map[string][]wire.ValueID // values of one node whose topics are the same
	contested map[string][]int          // topics on which values of several nodes are published, and which of these nodes are ours
	nodes     map[string]int            // by the node's own topic
	bases     map[int]string            // the node's own topic
	shared    map[int]bool              // nodes whose own topic is another node's as well
}

// newTopicIndex computes the topics of nodes. Foreign nodes are those of another
// gateway under the same prefix: a topic that both have says nothing about our
// nodes.
func newTopicIndex(nodes map[int]*node, scheme wire.Scheme, foreign ...map[int]*node) topicIndex {
	x := topicIndex{
		scheme: scheme, values: map[string]wire.ValueID{}, twins: map[string][]wire.ValueID{}, contested: map[string][]int{},
		nodes: map[string]int{}, bases: map[int]string{}, shared: map[int]bool{},
	}
	strangers := map[string]bool{}
	for _, others := range foreign {
		for id, n := range others {
			base := scheme.Node(id, n.Name, n.Loc)
			strangers[base] = true
			for vid := range n.values {
				x.contested[scheme.Value(base, vid)] = nil
			}
		}
	}
	order := slices.Sorted(maps.Keys(nodes))
	for _, id := range order {
		x.addNode(nodes[id], strangers)
	}
	for _, id := range order {
		for vid := range nodes[id].values {
			x.add(scheme.Value(x.bases[id], vid), vid)
			if other := scheme.Other(x.bases[id], vid); other != "" {
				x.add(other, vid)
			}
		}
	}
	return x
}

func (x *topicIndex) addNode(n *node, strangers map[string]bool) {
	base := x.scheme.Node(n.ID, n.Name, n.Loc)
	x.bases[n.ID] = base
	if first, taken := x.nodes[base]; taken {
		x.shared[first], x.shared[n.ID] = true, true
	} else {
		x.nodes[base] = n.ID
	}
	if strangers[base] {
		x.shared[n.ID] = true
	}
}

// add files a value under its topic. A topic of several nodes stands for none of them:
// only the gateway's list and polls tell them apart.
func (x *topicIndex) add(topic string, id wire.ValueID) {
	first, taken := x.values[topic]
	of, contested := x.contested[topic]
	switch {
	case contested:
		if !slices.Contains(of, id.Node) {
			x.contested[topic] = append(of, id.Node)
		}
	case !taken:
		x.values[topic] = id
	case first.Node != id.Node:
		delete(x.values, topic)
		delete(x.twins, topic)
		x.contested[topic] = []int{first.Node, id.Node}
	default:
		if len(x.twins[topic]) == 0 {
			x.twins[topic] = []wire.ValueID{first}
		}
		x.twins[topic] = append(x.twins[topic], id)
	}
}

// isContested reports whether a value is published on the topic of another node's
// value.
func (x *topicIndex) isContested(id wire.ValueID) bool {
	_, contested := x.contested[x.topic(id)]
	return contested
}

// topic returns where a value is published, if the gateway publishes it at all.
func (x *topicIndex) topic(id wire.ValueID) string { return x.scheme.Value(x.bases[id.Node], id) }

// chooseScheme finds how the gateway builds topics: the scheme that explains most
// of the topics seen. Those published since the gateway came weigh more than any
// number of retained ones, which may be left over from other settings.
func chooseScheme(nodes map[int]*node, seen map[string]bool) wire.Scheme {
	var best wire.Scheme
	mostLive, most := 0, 0
	for _, scheme := range wire.Schemes() {
		hits, live := 0, 0
		count := func(topic string) {
			if isLive, known := seen[topic]; known {
				hits++
				if isLive {
					live++
				}
			}
		}
		for id, n := range nodes {
			base := scheme.Node(id, n.Name, n.Loc)
			count(base + "/status") // all there is with a MANUAL gateway
			for vid := range n.values {
				count(scheme.Value(base, vid))
			}
		}
		if live > mostLive || live == mostLive && hits > most {
			best, mostLive, most = scheme, live, hits
		}
	}
	return best
}
