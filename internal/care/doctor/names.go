package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/home"
)

// mostNamed bounds what is listed of one kind.
const mostNamed = 8

// names are the names of the house of a gateway that runs: things of one name, words that no
// dictionary has, and names that are confused, by how they are pronounced and by the last
// names. The names that the configuration gives count at once, before the gateway has
// taken them.
func (v *visit) names(ctx context.Context) []Finding {
	if !v.runs {
		return nil
	}
	var snapshot home.Snapshot
	if err := v.Ask(ctx, doors.House.Path(), &snapshot); err != nil || len(snapshot.Entities) == 0 {
		return nil // told of the house
	}
	h := &home.House{Floors: snapshot.Floors, Areas: snapshot.Areas}
	for _, e := range snapshot.Entities {
		h.Entities = append(h.Entities, e.Entity)
	}
	v.Home.Name(h)
	all := v.namesakes(h)
	cfg := v.STT
	cfg.Language, cfg.ModelsDir = v.Gateway.Language, v.Wake.ModelsDir
	cfg.Engines = slices.DeleteFunc(slices.Clone(cfg.Engines), func(e string) bool { return !stt.Knows(e, cfg.Language) })
	compared, err := names.Compare(ctx, cfg, h)
	if err != nil {
		f := Finding{State: Poor, Text: "the names cannot be compared: " + err.Error()}
		if packaged := stt.Default().ModelDir; errors.Is(err, fs.ErrNotExist) && cmp.Or(cfg.ModelDir, packaged) == packaged {
			f.Mend = "sudo apt-get install -y pocketsphinx-en-us"
		}
		return append(all, f)
	}
	var kept names.State
	_ = v.Ask(ctx, doors.ShowRehearsal.Path(), &kept) // a gateway that hears nothing has none
	all = append(all, v.unknown(compared.Unknown)...)
	all = append(all, v.tellConfused(names.Current(kept.Report, compared.Confused, h))...)
	if len(all) == 0 {
		all = well("%s", compareNote(kept.Report, names.Compares(cfg)))
	}
	if compared.Left > 0 {
		all = append(all, Finding{State: Poor, Text: fmt.Sprintf("%d things and rooms are not compared by their sound: there are too many", compared.Left)})
	}
	if kept.Report != nil && kept.Report.Voice != "" {
		all = append(all, Finding{State: Poor, Text: kept.Report.Voice})
	}
	return all
}

// compareNote is how good names were looked at.
func compareNote(kept *names.Report, compared bool) string {
	switch heard := kept != nil && kept.Voice == ""; {
	case heard:
		return fmt.Sprintf("they are told apart; %d were heard on %s", kept.Names, kept.Time.Format("2006-01-02"))
	case !compared:
		return "no two things of one room have one name; how names sound is compared in English only, for a recogniser of this machine"
	case kept != nil:
		return "they are told apart by how they are pronounced"
	}
	return "they are told apart by how they are pronounced; rehearse lets the recogniser hear them"
}

// namesakes are things of one name in one room.
func (v *visit) namesakes(h *home.House) []Finding {
	var all []Finding
	for _, n := range names.SameNames(h) {
		if n.Mended() {
			continue
		}
		where, command := "", []string{}
		if n.Area != "" {
			where = " in " + n.Area
		}
		for _, e := range n.Things {
			if n.Aliases[e.ID] != "" {
				command = append(command, e.ID, n.Aliases[e.ID])
			}
		}
		all = append(all, Finding{
			State: Poor, Text: fmt.Sprintf("%d things%s are called %s: who says that name is asked which one", len(n.Things), where, n.Name), Mend: v.config("alias", command...),
		})
	}
	return all
}

// unknown are words that no dictionary has.
func (v *visit) unknown(words []names.Word) []Finding {
	command, taken, lost := []string{}, []string{}, []string{}
	for _, w := range words {
		if w.Guess == "" {
			lost = append(lost, w.Word)
			continue
		}
		taken = append(taken, w.Word+" ("+w.Guess+")")
		command = append(command, w.Word, w.Guess)
	}
	var all []Finding
	if n := len(taken); n > 0 {
		command = command[:2*min(n, mostNamed)]
		all = append(all, Finding{
			State: Poor, Text: "no dictionary has these words, which are taken to be pronounced so: " + strings.Join(taken[:min(n, mostNamed)], ", ") + more(n-mostNamed),
			Mend: v.config("pronounce", command...),
		})
	}
	if n := len(lost); n > 0 {
		f := Finding{
			State: Poor, Text: "nobody knows how these words are pronounced, and PocketSphinx does not hear them: " + strings.Join(lost[:min(n, mostNamed)], ", ") + more(n-mostNamed),
			Do: "Give each a pronunciation: " + v.config("pronounce", "WORD", "PHONES"),
		}
		if _, err := process.Find("espeak-ng", filepath.Dir(v.Executable)); err != nil {
			f.Mend, f.Do = "sudo apt-get install -y espeak-ng", ""
		}
		all = append(all, f)
	}
	return all
}

// tellConfused are names that are taken for each other, those that concern each other in one
// finding.
func (v *visit) tellConfused(all []names.Confusion) []Finding {
	var found []Finding
	for _, group := range names.Groups(all) {
		if len(found) == mostNamed {
			return append(found, Finding{State: Poor, Text: "more names are confused", Do: "See all of them: " + v.Command + " rehearse"})
		}
		command, lost, confused := []string{}, []string{}, []string{}
		heard := ""
		for _, c := range group {
			confused = append(confused, c.Name)
			if !c.Alike {
				heard = fmt.Sprintf("; %s was heard as %s", console.Quote(c.Said), console.Quote(c.Heard))
			}
			if c.Alias != "" {
				command = append(command, cmp.Or(c.Key, c.Name), c.Alias)
			} else {
				lost = append(lost, c.Name)
			}
		}
		f := Finding{State: Poor, Text: "confused by ear: " + strings.Join(append(confused, others(group)...), ", ") + heard}
		if len(command) > 0 {
			f.Mend = v.config("alias", command...)
		} else {
			f.Do = "Give another name, one that sounds different, to " + strings.Join(lost, ", ") + "."
		}
		found = append(found, f)
	}
	return found
}

// others are the names that those of a group are taken for, beside themselves.
func others(group []names.Confusion) (all []string) {
	for _, c := range group {
		for _, name := range c.With {
			if !slices.Contains(all, name) && !slices.ContainsFunc(group, func(x names.Confusion) bool { return x.Name == name }) {
				all = append(all, name)
			}
		}
	}
	return all
}
