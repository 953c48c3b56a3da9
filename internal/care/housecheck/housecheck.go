// Package housecheck asks a server of a house what it offers, and compares it with the form
// that a house has (internal/home/form). It exists so that whoever writes a house server
// learns in a minute, without a gateway and without a voice, what a family would stumble
// over. It switches nothing. The comparison itself is in package form; this package only talks
// to the server.
package housecheck

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// Report is what was found out about a server.
type Report struct {
	Server string       `json:"server"`
	Kind   string       `json:"kind"` // of its house; "" if it does not say
	Areas  int          `json:"areas"`
	Things int          `json:"things"`
	Tools  int          `json:"tools"`
	Tried  []string     `json:"tried"` // what was asked of it, in words
	Faults []form.Fault `json:"faults"`
}

// Fit reports whether the server can be used as a house.
func (r Report) Fit() bool {
	return !slices.ContainsFunc(r.Faults, func(f form.Fault) bool { return f.Grave })
}

// Bounds of the examination.
const (
	housePatience = 10 * time.Second // for a house that its server does not know yet
	lookAgain     = 500 * time.Millisecond
	callPatience  = 10 * time.Second // for one answer
)

// Examine connects to a server and compares what it offers and answers with the form. An
// error means that there is no server to examine.
func Examine(ctx context.Context, s mcpint.Server, o client.Options) (Report, error) {
	s = s.WithDefaults()
	dialling, cancel := context.WithTimeout(ctx, s.ConnectTimeout)
	defer cancel()
	session, err := client.Dial(dialling, s, o)
	if err != nil {
		return Report{}, addOutput(err)
	}
	defer func() { _ = session.Close() }()
	listing, err := session.ListTools(dialling)
	if err != nil {
		return Report{}, fmt.Errorf("listing the tools of %s: %w", s.ID, err)
	}
	offering := form.Offering{Tools: listing.Tools}
	report := Report{Server: s.ID, Tools: len(listing.Tools)}
	for _, t := range listing.Skipped {
		report.Faults = append(report.Faults, form.Fault{What: fmt.Sprintf("The tool %q cannot be used: %s.", t.Tool, t.Why), Mend: "List each tool once, with a name."})
	}
	report.Faults = append(report.Faults, read(ctx, session, &offering)...)
	report.Faults = append(report.Faults, form.Check(offering)...)
	var house home.House
	if json.Unmarshal(offering.House, &house) == nil {
		report.Kind, report.Areas, report.Things = house.Kind, len(house.Areas), len(house.Entities)
	}
	for _, p := range form.Probes(offering, unusedName()) {
		report.Tried = append(report.Tried, p.About)
		report.Faults = append(report.Faults, try(ctx, session, p)...)
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("examining %s: %w", s.ID, err)
		}
	}
	return report, nil
}

// unusedName returns a name that no thing has.
func unusedName() string { return "no such thing " + rand.Text()[:8] }

// addOutput adds to the error of a connection what the server wrote last.
func addOutput(err error) error {
	if dial, ok := errors.AsType[*client.DialError](err); ok && dial.Stderr != "" {
		return fmt.Errorf("%w\nIt wrote:\n%s", err, dial.Stderr)
	}
	return err
}

// read reads the documents of a house. One that is not known yet is waited for.
func read(ctx context.Context, session client.Session, o *form.Offering) []form.Fault {
	from, ok := session.(client.Resourceful)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, housePatience)
	defer cancel()
	all, err := from.ListResources(ctx)
	if err != nil {
		return []form.Fault{{What: "The resources cannot be listed: " + err.Error() + ".", Mend: "Offer resources, and say so in the capabilities.", Grave: true}}
	}
	o.Resources = all
	var faults []form.Fault
	for _, uri := range all {
		switch {
		case strings.HasSuffix(uri, form.EndOfEvents):
			o.Events, _ = from.ReadResource(ctx, uri)
		case !strings.HasSuffix(uri, form.EndOfHouse):
		case o.House != nil:
			faults = append(faults, form.Fault{What: fmt.Sprintf("There is a second resource of a house: %s.", uri), Mend: "Offer one house in each server.", Grave: true})
		default:
			if o.House, err = readPatiently(ctx, from, uri); err != nil {
				faults = append(faults, form.Fault{What: fmt.Sprintf("%s cannot be read: %v.", uri, err), Mend: "Look at what the server waits for; its own tool for its health says it.", Grave: true})
			}
		}
	}
	return faults
}

func readPatiently(ctx context.Context, from client.Resourceful, uri string) ([]byte, error) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		body, err := from.ReadResource(ctx, uri)
		if err == nil {
			return body, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-again.C:
		}
	}
}

// try makes the call of a probe and judges the answer.
func try(ctx context.Context, session client.Session, p form.Probe) []form.Fault {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	r, err := session.CallTool(ctx, p.Call.Tool, p.Call.Args)
	if err != nil {
		return []form.Fault{{What: fmt.Sprintf("%s did not answer: %v.", p.Call.Tool, err), Mend: "Answer every call, also one that fails: with isError and a sentence.", Grave: true}}
	}
	r.Receipt = tools.ReadReceipt(r.Data)
	return p.Judge(r)
}

// Tell writes a report for a person.
func Tell(paint console.Paint, r Report) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s in %s, %s; asked for %s\n", r.Server, count(r.Things, "thing"), count(r.Areas, "area"), count(r.Tools, "tool"), list(r.Tried))
	for _, f := range r.Faults {
		mark := paint.Warn("!")
		if f.Grave {
			mark = paint.Bad("✗")
		}
		fmt.Fprintf(&out, "%s %s\n  %s\n", mark, f.What, f.Mend)
	}
	switch {
	case len(r.Faults) == 0:
		fmt.Fprintf(&out, "%s It keeps to version %d of the form. Nothing was switched.\n", paint.Good("✓"), form.Version)
	case r.Fit():
		fmt.Fprintf(&out, "%s It can be used as a house.\n", paint.Good("✓"))
	default:
		fmt.Fprintf(&out, "%s It cannot be used as a house yet.\n", paint.Bad("✗"))
	}
	return out.String()
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func list(tried []string) string {
	if len(tried) == 0 {
		return "nothing"
	}
	return strings.Join(tried, ", ")
}
