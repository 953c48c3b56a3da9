package learn

import (
	"cmp"
	"math/rand/v2"
	"strconv"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/language/template"
)

// Draw returns examples of the kinds from the sentences of a pack, so many forms of each, with
// the names of things and rooms that the pack knows from elsewhere. What is said about other
// things of a house is no example of None, because it is for the house.
func Draw(pack *intent.Pack, forms int) []Example {
	d := drawer{pack: pack, dice: rand.New(rand.NewPCG(seed, seed))} //nolint:gosec // the same forms each time
	var out []Example
	for i := range pack.Blocks {
		b := &pack.Blocks[i]
		kind := kindOf(b)
		if kind == reader.None {
			continue
		}
		for _, sentence := range b.Sentences {
			known := map[string]bool{}
			for range forms {
				d.block, d.open = b, false
				text := strings.Join(strings.Fields(d.say(sentence, 0)), " ")
				if text != "" && !d.open && !known[text] {
					known[text] = true
					out = append(out, Example{text, kind})
				}
			}
		}
	}
	return out
}

// kindOf returns the kind of the sentences of a block; None if they are of no kind, if only
// their words tell it, or if they mean nothing alone.
func kindOf(b *intent.Block) reader.Kind {
	if b.Meta.After || b.Meta.Reject != "" {
		return reader.None
	}
	slot := func(name string) string { s, _ := b.Slots[name].(string); return s }
	return drawn[b.Intent+" "+cmp.Or(slot("direction"), slot("volume_step"), slot("timer"), slot("domain"))]
}

// drawn are the kinds of intents, each with the slot that tells the kind.
var drawn = map[string]reader.Kind{
	catalogue.TurnOn + " light":           reader.LightOn,
	catalogue.TurnOff + " light":          reader.LightOff,
	catalogue.BrightnessAdjust + " up":    reader.LightUp,
	catalogue.BrightnessAdjust + " down":  reader.LightDown,
	catalogue.SetVolumeRelative + " up":   reader.VolumeUp,
	catalogue.SetVolumeRelative + " down": reader.VolumeDown,
	catalogue.SetVolume + " ":             reader.VolumeSet,
	catalogue.GetVolume + " ":             reader.VolumeSet,
	catalogue.MediaPlayerMute + " ":       reader.VolumeMute,
	catalogue.SetAlarm + " ":              reader.AlarmSet,
	catalogue.TimerStatus + " alarm":      reader.AlarmQuery,
	catalogue.CancelTimer + " alarm":      reader.AlarmRemove,
	catalogue.GetCurrentTime + " ":        reader.Clock,
	catalogue.GetCurrentDate + " ":        reader.Clock,
}

// drawer says sentences with dice.
type drawer struct {
	pack  *intent.Pack
	dice  *rand.Rand
	block *intent.Block
	open  bool // the sentence has free text, of which nothing is known
}

const deepest = 40 // rules within rules

// say returns one form of a part of a sentence.
func (d *drawer) say(n *template.Node, depth int) string {
	if depth > deepest {
		d.open = true
		return ""
	}
	switch n.Kind {
	case template.Text:
		return n.Text
	case template.Choice:
		return d.say(n.Items[d.dice.IntN(len(n.Items))], depth+1)
	case template.Sequence:
		var b strings.Builder
		for _, item := range n.Items {
			b.WriteString(d.say(item, depth+1))
		}
		return b.String()
	case template.Shuffle:
		var b strings.Builder
		for _, i := range d.dice.Perm(len(n.Items)) {
			b.WriteString(d.say(n.Items[i], depth+1) + " ")
		}
		return b.String()
	case template.List:
		return d.value(n.Name)
	case template.Range:
		return strconv.Itoa(n.From + d.dice.IntN(n.To-n.From+1))
	case template.Rule:
		if s := d.block.Scoped; s != nil && s.Rules[n.Name] != nil {
			return d.say(s.Rules[n.Name], depth+1)
		}
		if rule := d.pack.Rules[n.Name]; rule != nil {
			return d.say(rule, depth+1)
		}
	}
	d.open = true
	return ""
}

// value returns a value of a list.
func (d *drawer) value(name string) string {
	switch name {
	case "name":
		if len(d.block.Domains) > 0 {
			d.open = true // few names are of such a thing
		}
		return d.one(d.pack.Decoys.Names)
	case "area":
		return d.one(d.pack.Decoys.Areas)
	}
	list, ok := d.pack.Lists[name]
	if s := d.block.Scoped; s != nil {
		if own, scoped := s.Lists[name]; scoped {
			list, ok = own, true
		}
	}
	switch {
	case ok && list.Kind == intent.RangeList:
		return strconv.Itoa(list.Range.From + d.dice.IntN(list.Range.To-list.Range.From+1))
	case ok && list.Kind == intent.TextList && len(list.Values) > 0:
		return d.one(list.Values[d.dice.IntN(len(list.Values))].Texts)
	}
	d.open = true
	return ""
}

func (d *drawer) one(texts []string) string {
	if len(texts) == 0 {
		d.open = true
		return ""
	}
	return texts[d.dice.IntN(len(texts))]
}
