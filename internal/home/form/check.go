package form

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Fault is something in which a server does not keep to the form.
type Fault struct {
	What string `json:"what"` // a sentence
	Mend string `json:"mend"` // how, another one
	// Grave is what must be mended before the server can be used as a house. The others cost
	// the family something: a name that is asked about, a thing that cannot be read.
	Grave bool `json:"grave"`
}

// Offering is what a server offers, as a host sees it.
type Offering struct {
	Resources []string     // addresses
	House     []byte       // the document of the house; nil if it cannot be read
	Events    []byte       // the document of its events; nil if there is none
	Tools     []tools.Spec // the risk is what the annotations say
}

// The ends of the addresses of the resources; what stands before is the server's.
const (
	EndOfHouse  = "://home"
	EndOfEvents = "://events"
)

// inspection is the comparison of one server with the form.
type inspection struct {
	Offering

	house  home.House
	tools  map[string]tools.Spec
	faults []Fault
}

func (i *inspection) grave(mend, format string, args ...any) {
	i.faults = append(i.faults, Fault{fmt.Sprintf(format, args...), mend, true})
}

func (i *inspection) light(mend, format string, args ...any) {
	i.faults = append(i.faults, Fault{fmt.Sprintf(format, args...), mend, false})
}

// Check compares what a server offers with the form. Nothing is called: what shows only in
// answers is in Probes.
func Check(o Offering) []Fault {
	i := inspect(o)
	i.checkDocument()
	i.checkNames()
	for n := range i.house.Entities {
		i.checkThing(&i.house.Entities[n])
	}
	i.checkTools()
	i.checkEvents()
	return i.faults
}

func inspect(o Offering) *inspection {
	i := &inspection{Offering: o, tools: map[string]tools.Spec{}}
	for _, t := range o.Tools {
		i.tools[t.Name] = t
	}
	_ = json.Unmarshal(o.House, &i.house) // what is wrong with it is said by the schema
	return i
}

// checkDocument compares the document of the house with the schema.
func (i *inspection) checkDocument() {
	if i.House == nil {
		i.grave("Offer the house as a resource with an address such as home://home, of type application/json.",
			"There is no resource that can be read and whose address ends with %s, so nothing is known of a house.", EndOfHouse)
		return
	}
	for _, wrong := range compare(partHouse, i.House) {
		i.grave("Write the document as the schema has it (voice-gateway home schema).", "The document of the house is wrong: %s.", wrong)
	}
	switch {
	case i.house.Form == 0:
		i.light(fmt.Sprintf(`Put "form": %d into the document.`, Version), "The document of the house does not say which version of the form it has.")
	case i.house.Form > Version:
		i.light("Update the gateway.", "The document of the house has version %d of the form; this program knows version %d.", i.house.Form, Version)
	}
	if len(i.house.Entities) == 0 && len(i.faults) == 0 {
		i.light("Look at what the server waits for; its own tool for its health says it.", "The house has no things.")
	}
}

// checkNames looks for ids and names that are not those of one thing.
func (i *inspection) checkNames() {
	ids, named, areas := map[string]bool{}, map[string][]string{}, map[string]bool{}
	for _, a := range i.house.Areas {
		if areas[Fold(a.Name)] {
			i.grave("List it once.", "The area %s is listed twice.", quote(a.Name))
		}
		areas[Fold(a.Name)] = true
		if a.Floor != "" && !slices.ContainsFunc(i.house.Floors, func(f home.Floor) bool { return f.Name == a.Floor }) {
			i.light("List the floor under floors.", "The area %s is on the floor %s, which is not listed.", quote(a.Name), quote(a.Floor))
		}
	}
	unlisted := map[string]bool{}
	for _, e := range i.house.Entities {
		if ids[e.ID] {
			i.grave("Give each thing an id of its own that never changes.", "Two things have the id %s.", quote(e.ID))
		}
		ids[e.ID] = true
		if PlainName(e.Name) == "" {
			i.light("Give it a name of words.", "The name %s of %s cannot be said.", quote(e.Name), quote(e.ID))
		}
		if e.Area != "" && !areas[Fold(e.Area)] && !unlisted[e.Area] {
			unlisted[e.Area] = true
			i.grave("List it under areas.", "Things are in the area %s, which is not listed.", quote(e.Area))
		}
		key := Fold(e.Area) + "\n" + Fold(e.Name)
		named[key] = append(named[key], e.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(named)) {
		if same := named[key]; len(same) > 1 {
			i.light("Give them names that differ; until then the family is asked which one is meant.", "%d things in one room are called %s.", len(same), quote(same[0]))
		}
	}
}

// acts are the actions that a thing with an ability is commanded with.
var acts = map[home.Ability][]string{
	home.OnOff: {"on", "off"}, home.Brightness: {"level"}, home.Colour: {"colour"}, home.OpenClose: {"open", "close"}, home.Position: {"position"},
	home.Stop: {"stop"}, home.Lock: {"lock"}, home.Setpoint: {"setpoint"}, home.Mode: {"mode"}, home.Speed: {"level"},
	home.Play: {"play", "pause"}, home.Skip: {"next", "previous"}, home.Volume: {"level"}, home.Mute: {"mute", "unmute"}, home.Source: {"source"},
	home.Start: {"start"}, home.Pause: {"pause"}, home.Dock: {"dock"}, home.Preset: {"preset"}, home.TargetHumidity: {"humidity"},
	home.List: {"add", "complete", "remove"},
}

// spellAbility is the ability of acts that is meant by one that is nearly spelt so; "" if
// none is. Everything else is what a thing measures, for which any word may stand.
func spellAbility(a home.Ability) home.Ability {
	bare := func(a home.Ability) string {
		return strings.ReplaceAll(strings.ReplaceAll(PlainName(string(a)), " ", ""), "color", "colour")
	}
	for _, known := range slices.Sorted(maps.Keys(acts)) {
		if bare(a) == bare(known) {
			return known
		}
	}
	return ""
}

// checkThing looks at what can be done with a thing, and with which tools.
func (i *inspection) checkThing(e *home.Entity) {
	is := fmt.Sprintf("%s (%s)", quote(e.Name), oneLine(e.ID))
	i.checkWay(is, "control", e.Control, tools.Reversible)
	i.checkWay(is, "read", e.Read, tools.Read)
	i.checkWay(is, "dangerous", e.Dangerous, tools.Dangerous)
	var acting []home.Ability
	for _, a := range e.Abilities {
		if acts[a] != nil {
			acting = append(acting, a)
		} else if right := spellAbility(a); right != "" {
			i.grave(fmt.Sprintf("Write %s.", right), "%s has the ability %s, which is spelt %s in the form.", is, quote(string(a)), right)
		}
	}
	i.checkCommands(is, e, acting)
	if e.Read == nil {
		i.light("Add a read with the tool and the identifier.", "%s cannot be read, so nobody hears how it is.", is)
	}
	unit, _ := e.Attributes["unit"].(string)
	if slices.Contains(acting, home.Setpoint) && home.ScaleOf(unit) == "" {
		i.light(`Put "unit": "°C" or "°F" into its attributes.`, "%s is set to degrees and does not say of which scale.", is)
	}
}

// checkCommands compares what a thing says it can do with its tool.
func (i *inspection) checkCommands(is string, e *home.Entity, acting []home.Ability) {
	switch sensor := e.Domain == "sensor" || e.Domain == "binary_sensor"; {
	case e.Control == nil && len(acting) > 0:
		i.grave("Add a control with the tool and the identifier, or leave out what cannot be done.", "%s can be commanded (%s) and says no tool for it.", is, joinAbilities(acting))
	case e.Control != nil && sensor:
		i.grave("Leave its control out, or give it the domain of what it is.", "%s is a sensor and has a control.", is)
	case e.Control != nil && len(acting) == 0 && len(e.Abilities) > 0:
		i.light("Add the abilities that its tool has for it.", "%s has a control and no ability that could be commanded.", is)
	}
	if e.Control != nil {
		i.checkActions(is, i.tools[e.Control.Tool], acting)
	}
}

// checkWay looks at the tool by which a thing is reached.
func (i *inspection) checkWay(is, way string, c *home.Control, risk tools.Risk) {
	if c == nil {
		return
	}
	t, known := i.tools[c.Tool]
	switch {
	case !known:
		i.grave("Offer the tool, or name the one that is meant.", "The %s of %s is the tool %s, which the server does not offer.", way, is, quote(c.Tool))
	case t.Risk != risk:
		i.graveOnce(annotate[risk], "The tool %s is the %s of things and its annotations say %s.", quote(c.Tool), way, annotations[t.Risk])
	}
}

// graveOnce is grave, for what would be said of every thing.
func (i *inspection) graveOnce(mend, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(i.faults, func(f Fault) bool { return f.What == what }) {
		i.faults = append(i.faults, Fault{what, mend, true})
	}
}

// annotations say in words what a tool's annotations mean, annotate which ones to set.
var (
	annotations = map[tools.Risk]string{
		tools.Read: "that it only reads", tools.Reversible: "that it changes things harmlessly", tools.Dangerous: "that it may do harm, or nothing",
	}
	annotate = map[tools.Risk]string{
		tools.Read:       "Set readOnlyHint to true.",
		tools.Reversible: "Set readOnlyHint and destructiveHint to false; what is dangerous belongs to a tool of its own.",
		tools.Dangerous:  "Set readOnlyHint to false and destructiveHint to true.",
	}
)

// checkActions looks for what a thing can do and its tool does not.
func (i *inspection) checkActions(is string, t tools.Spec, acting []home.Ability) {
	known := actionsOf(t)
	if known == nil { // said in checkTools
		return
	}
	for _, a := range acting {
		for _, action := range acts[a] {
			if !slices.Contains(known, action) {
				i.grave("Add the action to the enumeration of the tool's schema, or take the ability from the thing.", "%s has the ability %s and its tool %s has no action %s.", is, a, quote(t.Name), action)
			}
		}
	}
}

// actionsOf are the actions in the schema of a tool that acts; nil if it has none.
func actionsOf(t tools.Spec) []string {
	var schema struct {
		Properties struct {
			Device *struct{} `json:"device_name"`
			Action struct {
				Enum []string `json:"enum"`
			} `json:"action"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.Input, &schema) != nil || schema.Properties.Device == nil {
		return nil
	}
	return schema.Properties.Action.Enum
}

// checkTools looks at the tools that the things name, and at those of the whole house.
func (i *inspection) checkTools() {
	control, dangerous := map[string]bool{}, map[string]bool{}
	for _, e := range i.house.Entities {
		if e.Control != nil {
			control[e.Control.Tool] = true
		}
		if e.Dangerous != nil {
			dangerous[e.Dangerous.Tool] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.tools)) {
		i.checkTool(i.tools[name], control[name], dangerous[name])
	}
	if t, known := i.tools[ToolList]; !known {
		i.light("Offer it: without it nobody sees the states of the house.", "There is no tool %s.", ToolList)
	} else {
		i.checkReads(t)
	}
	switch t, known := i.tools[i.house.Health]; {
	case i.house.Health == "":
		i.light(`Name it in the document as "health".`, "The house names no tool that says whether it can be reached.")
	case !known:
		i.grave("Offer the tool, or name the one that is meant.", "The health of the house is the tool %s, which the server does not offer.", quote(i.house.Health))
	default:
		i.checkReads(t)
	}
}

// checkReads looks whether a tool says of itself that it only reads.
func (i *inspection) checkReads(t tools.Spec) {
	if t.Risk != tools.Read {
		i.grave(annotate[tools.Read], "The tool %s does not say that it only reads.", quote(t.Name))
	}
}

// checkTool looks at one tool, and at what it is to the things of the house.
func (i *inspection) checkTool(t tools.Spec, controls, isDangerous bool) {
	operates := controls || isDangerous
	if operates && actionsOf(t) == nil {
		i.grave("Give its input the properties device_name (a string) and action (a string with an enumeration).", "The schema of the tool %s does not say which actions it has.", quote(t.Name))
	}
	if controls && slices.Contains(actionsOf(t), "unlock") {
		i.grave("Leave unlock to a tool of its own with destructiveHint true, and name it as the dangerous of the thing.", "The tool %s unlocks, and every host takes it for harmless.", quote(t.Name))
	}
	if operates && t.Output == nil {
		i.light("Give it the schema of a receipt as outputSchema.", "The tool %s does not say that it answers with a receipt.", quote(t.Name))
	}
	if (operates || t.Risk == tools.Read) && t.OpenWorld {
		i.light("Set openWorldHint to false where a tool does not leave the house.", "The tool %s says that it reaches beyond the house.", quote(t.Name))
	}
}

// checkEvents compares the document of events with the schema.
func (i *inspection) checkEvents() {
	if i.Events == nil {
		i.light("Offer them as a resource that can be subscribed to.", "There is no resource whose address ends with %s: nobody hears of a press of a button, or of smoke.", EndOfEvents)
		return
	}
	for _, wrong := range compare(partEvents, i.Events) {
		i.grave("Write the document as the schema has it (voice-gateway home schema).", "The document of events is wrong: %s.", wrong)
	}
	var told Events
	if json.Unmarshal(i.Events, &told) != nil {
		return
	}
	last := uint64(0)
	for _, e := range told.Events {
		if e.Seq <= last || e.Seq >= told.Next {
			i.grave("Number them upwards from 1 after each start; next is the number of the event to come.", "The events are not in order: %d comes after %d, and next is %d.", e.Seq, last, told.Next)
			return
		}
		last = e.Seq
	}
}

func joinAbilities(all []home.Ability) string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}
