package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ground/process"
)

// sound is the microphone and the speaker.
func (v *visit) sound(ctx context.Context) []Finding {
	eq, err := v.Sound(ctx, v.runs)
	if err != nil {
		return []Finding{{State: Ill, Text: "the sound devices cannot be listed: " + err.Error(), Do: "Look at what the system sees: arecord -l"}}
	}
	all := []Finding{
		v.device("microphone", "audio.input", v.Audio.Input, eq.InputProblem, eq.Devices, func(d audio.Device) bool { return d.Inputs > 0 }),
		v.device("speaker", "audio.output", v.Audio.Output, eq.OutputProblem, eq.Devices, func(d audio.Device) bool { return d.Outputs > 0 }),
	}
	if !v.hears() && all[0].State == Ill {
		all[0] = Finding{Part: "microphone", State: Well, Text: "not needed while no recogniser hears " + v.Gateway.Language}
	}
	if eq.Muted {
		all = append(all, Finding{Part: "microphone", State: Poor, Text: "it is muted", Mend: v.Command + " mute off"})
	}
	return all
}

// device is one direction of the sound.
func (v *visit) device(part, key, named, problem string, all []audio.Device, fits func(audio.Device) bool) Finding {
	if named == "default" {
		named = ""
	}
	there := slices.ContainsFunc(all, fits)
	used := ""
	for _, d := range all {
		if fits(d) && (used == "" || d.Default) {
			used = d.Name
		}
		if named != "" && fits(d) && strings.Contains(strings.ToLower(d.Name), strings.ToLower(named)) {
			return Finding{Part: part, State: Well, Text: d.Name}
		}
	}
	switch {
	case !there:
		if configure.MayUse(v.User, "audio") {
			return Finding{Part: part, State: Ill, Text: "there is none", Do: "Plug one in."}
		}
		return Finding{Part: part, State: Ill, Text: "there is none", Do: "Plug one in, and put the user " + v.User + " into the group audio: sudo usermod -aG audio " + v.User}
	case named != "":
		return Finding{Part: part, State: Ill, Text: "no " + part + " is called " + named + "; there is " + used, Mend: v.set(key, "default")}
	case problem != "":
		return Finding{Part: part, State: Ill, Text: problem, Do: "Unplug it and plug it in again; " + v.Command + " devices lists what there is."}
	}
	return Finding{Part: part, State: Well, Text: used}
}

// hears reports whether a recogniser of the configuration knows the language.
func (v *visit) hears() bool {
	cfg, _ := v.STT.Resolve()
	return slices.ContainsFunc(cfg.Engines, func(e string) bool { return stt.Knows(e, v.Gateway.Language) })
}

// wakeWord is whether the models of the words are there.
func (v *visit) wakeWord(context.Context) []Finding {
	if !v.hears() {
		return well("not needed while no recogniser hears %s", v.Gateway.Language)
	}
	if v.Wake.Engine != "micro" && v.Wake.Engine != "auto" {
		return well("%s, by %s", strings.Join(v.Wake.Words, ", "), v.Wake.Engine)
	}
	var missing []string
	for _, word := range slices.Concat(v.Wake.Words, v.Wake.Stop) {
		if _, err := micro.Find(v.Wake.ModelsDir, word); err != nil {
			missing = append(missing, word)
		}
	}
	if len(missing) == 0 {
		return well("%s", strings.Join(v.Wake.Words, ", "))
	}
	f := Finding{State: Ill, Text: "there is no model of " + strings.Join(missing, ", ") + " in " + v.Wake.ModelsDir, Mend: v.Command + " models pull"}
	if v.Wake.Engine == "auto" {
		f.State, f.Text = Poor, f.Text+"; PocketSphinx listens for it, which is weaker"
	}
	return []Finding{f}
}

// recogniser is whether spoken sentences can be understood.
func (v *visit) recogniser(ctx context.Context) []Finding {
	cfg := v.STT
	cfg.ModelsDir = v.Wake.ModelsDir
	able, lack := stt.Here(cfg)
	resolved, hint := cfg.Resolve()
	byGrammar := slices.ContainsFunc(resolved.Engines, stt.ByGrammar)
	first := slices.IndexFunc(resolved.Engines, func(e string) bool { return slices.Contains(able, e) })
	switch {
	case !v.hears():
		return []Finding{{State: Poor, Text: "spoken commands are off: no recogniser of the configuration hears " + v.Gateway.Language, Do: "Name one that does in stt.engines: openai or wyoming."}}
	case byGrammar && first < 0:
		why := resolved.Engines[0]
		if err := lack[why]; err != nil {
			why += ": " + err.Error()
		}
		mend := v.Command + " models pull"
		if slices.Contains(resolved.Engines, "pocketsphinx") {
			mend = "sudo apt-get install -y pocketsphinx-en-us"
		}
		return []Finding{{State: Ill, Text: why, Mend: mend}}
	case hint != "":
		return []Finding{{State: Poor, Text: "pocketsphinx hears; a neural recogniser hears people better, and its model is not installed", Mend: v.Command + " models pull"}}
	}
	names := strings.Join(resolved.Engines, ", then ")
	if first != 0 || resolved.Engines[0] != "moonshine" || v.Reads == nil || !v.whole {
		return well("%s", names)
	}
	return v.reading(ctx, names)
}

// reading is how fast the neural recogniser is on this machine.
func (v *visit) reading(ctx context.Context, names string) []Finding {
	took, err := v.Reads(ctx)
	switch {
	case errors.Is(err, stt.ErrNoRoom):
		return well("%s; %v", names, err)
	case err != nil:
		return []Finding{{State: Poor, Text: "the neural recogniser does not read: " + err.Error(), Mend: v.Command + " models verify"}}
	case took > stt.SlowReading:
		return []Finding{{
			State: Poor, Text: fmt.Sprintf("the neural recogniser takes %s to read a short command on this machine, which everybody waits for; PocketSphinx is faster, and hears less well", took),
			Mend: v.set("stt.engines", "[pocketsphinx]"),
		}}
	}
	return well("%s; a short command is read in %s", names, took)
}

// voice is the first engine that can speak.
func (v *visit) voice(context.Context) []Finding {
	var all []Finding
	for _, engine := range v.TTS.Engines {
		err := v.speaks(engine)
		if err == nil {
			return append(all, well("%s", engine)...)
		}
		f := Finding{State: Poor, Text: engine + " cannot speak: " + err.Error(), Do: "Install it, or take it out of tts.engines."}
		switch engine {
		case "espeak":
			f.Mend = "sudo apt-get install -y espeak-ng"
		case "flite":
			f.Mend = "sudo apt-get install -y flite"
		case "piper":
			f.Mend = v.set("tts.engines", "[espeak]")
		}
		all = append(all, f)
	}
	for i := range all {
		all[i].State = Ill // none of them speaks
	}
	return all
}

// speaks says what an engine that is a program lacks.
func (v *visit) speaks(engine string) error {
	program := map[string]string{"espeak": "espeak-ng", "flite": "flite", "piper": v.TTS.Piper.Command}[engine]
	if program == "" {
		return nil // it speaks elsewhere
	}
	_, err := process.Find(program, filepath.Dir(v.Executable))
	if engine == "piper" {
		_, statErr := os.Stat(v.TTS.Piper.Model)
		err = errors.Join(err, statErr)
	}
	return err
}
