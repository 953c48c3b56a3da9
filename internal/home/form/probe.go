package form

import (
	"encoding/json"
	"fmt"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Probe is a call that changes nothing in a house, and the judgement of its answer.
type Probe struct {
	About string // what is tried, in words
	Call  tools.Call
	judge func(r tools.Result) []Fault
}

// Judge compares the answer of the call with the form.
func (p Probe) Judge(r tools.Result) []Fault { return p.judge(r) }

// mostRead is how many things are read: one for each domain and tool, not the whole house.
const mostRead = 12

// Probes are the calls by which a server shows that it answers as the form has it. Nothing
// is switched: the only act is for a thing that no house has. nobody is the name of that
// thing.
func Probes(o Offering, nobody string) []Probe {
	i := inspect(o)
	var all []Probe
	if t, known := i.tools[i.house.Health]; known && t.Risk == tools.Read {
		all = append(all, i.probe("its health", i.house.Health, struct{}{}, partHealth))
	}
	if t, known := i.tools[ToolList]; known && t.Risk == tools.Read {
		all = append(all, i.probeList())
	}
	seen := map[string]bool{}
	for n := range i.house.Entities {
		e := &i.house.Entities[n]
		if e.Read == nil || i.tools[e.Read.Tool].Risk != tools.Read || seen[e.Read.Tool+e.Domain] || len(seen) >= mostRead {
			continue
		}
		seen[e.Read.Tool+e.Domain] = true
		all = append(all, i.probeRead(e))
	}
	var acting []string
	for _, e := range i.house.Entities {
		if e.Control != nil && i.tools[e.Control.Tool].Risk == tools.Reversible && !slices.Contains(acting, e.Control.Tool) {
			acting = append(acting, e.Control.Tool)
			all = append(all, i.probeRefusal(e.Control.Tool, nobody))
		}
	}
	return all
}

// probe reads with a tool and compares the answer with a part of the schema.
func (i *inspection) probe(about, tool string, args any, part string) Probe {
	return Probe{About: about, Call: tools.Call{Tool: tool, Args: marshal(args)}, judge: func(r tools.Result) []Fault {
		return judgeAnswer(tool, part, r)
	}}
}

func judgeAnswer(tool, part string, r tools.Result) []Fault {
	switch {
	case r.Failed:
		return []Fault{{fmt.Sprintf("%s failed: %s", tool, oneLine(r.Text)), "Read the sentence: the house may not be reached just now.", false}}
	case len(r.Data) == 0:
		return []Fault{{fmt.Sprintf("%s answers with a text alone.", tool), "Answer with structuredContent as well: sentences are made of it, never of the text.", true}}
	}
	var all []Fault
	for _, wrong := range compare(part, r.Data) {
		all = append(all, Fault{fmt.Sprintf("The answer of %s is wrong: %s.", tool, wrong), "Answer as the schema has it (voice-gateway home schema, " + part + ").", true})
	}
	return all
}

// probeList reads a page of the list, and looks whether it is about the things of the
// document.
func (i *inspection) probeList() Probe {
	p := i.probe("the list of its things", ToolList, map[string]int{"page": 1}, partList)
	p.judge = func(r tools.Result) []Fault {
		all := judgeAnswer(ToolList, partList, r)
		var list struct {
			Devices []Listed `json:"devices"`
		}
		if len(all) > 0 || json.Unmarshal(r.Data, &list) != nil {
			return all
		}
		for _, d := range list.Devices {
			if i.house.Entity(d.ID) == nil {
				return append(all, Fault{fmt.Sprintf("%s lists %s with the id %s, which no thing of the document has.", ToolList, quote(d.Name), quote(d.ID)), "Use the ids of the document: without them a thing has no state.", true})
			}
		}
		if len(list.Devices) == 0 && len(i.house.Entities) > 0 {
			return append(all, Fault{ToolList + " lists nothing, and the document has things.", "List every thing, with null as the state that is not known.", true})
		}
		return all
	}
	return p
}

// probeRead reads one thing with its own tool.
func (i *inspection) probeRead(e *home.Entity) Probe {
	part, args := partState, map[string]string{"device_name": e.Read.ID}
	if e.Read.Tool == ToolSensor {
		part = partReading
		if len(e.Abilities) > 0 {
			args["sensor"] = string(e.Abilities[0])
		}
	}
	return i.probe("the state of "+oneLine(e.Name), e.Read.Tool, args, part)
}

// probeRefusal commands a thing that does not exist: what refuses must say so with a
// receipt, and never that it is done.
func (i *inspection) probeRefusal(tool, nobody string) Probe {
	action := "off"
	if known := actionsOf(i.tools[tool]); len(known) > 0 && !slices.Contains(known, action) {
		action = known[0]
	}
	p := i.probe("a command for a thing that does not exist", tool, map[string]string{"device_name": nobody, "action": action}, partReceipt)
	p.judge = func(r tools.Result) []Fault {
		if len(r.Data) == 0 {
			return []Fault{{fmt.Sprintf("%s refuses without a receipt.", tool), "Answer with a receipt as structuredContent, with the outcome refused and the reason unknown_device.", true}}
		}
		refused := r
		refused.Failed = false
		all := judgeAnswer(tool, partReceipt, refused)
		receipt := tools.ReadReceipt(r.Data)
		switch {
		case receipt == nil:
		case receipt.Sent():
			all = append(all, Fault{fmt.Sprintf("%s says %s of a thing that does not exist.", tool, receipt.Outcome), "Refuse a name that no thing has, with the reason unknown_device; never guess which one was meant.", true})
		case !r.Failed:
			all = append(all, Fault{fmt.Sprintf("%s refuses and does not set isError.", tool), "Set isError with the outcomes refused and no_answer: other hosts read nothing else.", false})
		case receipt.Outcome == tools.Refused && receipt.Reason != tools.UnknownDevice:
			all = append(all, Fault{fmt.Sprintf("%s gives the reason %s for a name that no thing has.", tool, quote(string(receipt.Reason))), "Give the reason unknown_device: it has a sentence in every language.", false})
		}
		return all
	}
	return p
}
