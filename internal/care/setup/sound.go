package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/moonshine"
)

// Bounds for trying the sound: opening is the wait for a device that does not answer,
// heardFor is how long setup listens, and alive is the lowest level of a working
// microphone: even a quiet room is louder.
const (
	opening  = 15 * time.Second
	heardFor = 3 * time.Second
	alive    = audio.Silence + 1
	spoken   = 10.0 // dB over the room's own level: a person is speaking
)

// direction is a microphone or a speaker.
type direction struct {
	part, key string
	flag, now string
	without   string // what works without one
	fits      func(d audio.Device) bool
	try       func(ctx context.Context, name string) (well bool, err error) // it is told what was found
}

// microphone finds the microphone by the sound that it gives. If no recogniser hears the
// language, only a flag sets it.
func (s *session) microphone(ctx context.Context) error {
	if s.Microphone == "" && s.deaf(s.now.Gateway.Language) {
		s.good("microphone", "not needed while no recogniser hears %s", nameOf(s.now.Gateway.Language))
		return nil
	}
	return s.device(ctx, direction{
		part: "microphone", key: "audio.input", flag: s.Microphone, now: s.now.Audio.Input, without: "commands are typed, on the page or with the command ask",
		fits: func(d audio.Device) bool { return d.Inputs > 0 }, try: s.tryMicrophone,
	})
}

// speaker finds the speaker by a short sound.
func (s *session) speaker(ctx context.Context) error {
	return s.device(ctx, direction{
		part: "speaker", key: "audio.output", flag: s.Speaker, now: s.now.Audio.Output, without: "replies are read, on the page or where they were typed",
		fits: func(d audio.Device) bool { return d.Outputs > 0 }, try: s.trySpeaker,
	})
}

// isDefault is the name of the device that the system prefers.
const isDefault = "default"

// device tries one after the other until one is well: the one that is named, the
// system's own, the others.
func (s *session) device(ctx context.Context, d direction) error {
	if d.flag != "" {
		s.good(d.part, "%s", d.flag)
		return s.set(configure.Change{Key: d.key, Value: d.flag})
	}
	sound, err := s.Sound(ctx, s.now)
	if err != nil {
		s.poor(d.part, "the sound devices cannot be listed: %v", err)
		return nil
	}
	_, user := s.Command(s.now)
	if !slices.ContainsFunc(sound.Devices, d.fits) {
		if configure.MayUse(user, "audio") {
			s.poor(d.part, "there is none; one that is plugged in later is used")
		} else {
			s.poor(d.part, "there is none; one that is plugged in later is used, once %s is in the group audio: sudo usermod -aG audio %s", user, user)
		}
		command, _ := s.Command(s.now)
		s.asker.say("  To try one later: %s setup; until then: %s\n", command, d.without)
		return nil
	}
	if s.runs {
		s.good(d.part, "%s; the gateway that runs uses it", d.now)
		return nil
	}
	names := []string{d.now}
	for _, one := range sound.Devices {
		if d.fits(one) && one.Name != d.now && one.Hardware != "" && s.mayFill(d.now, isDefault) {
			names = append(names, one.Name)
		}
	}
	return s.best(ctx, d, names)
}

// best tries devices one after the other, and asks the user if none of them works.
func (s *session) best(ctx context.Context, d direction, names []string) error {
	for _, name := range names {
		well, err := d.try(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.poor(d.part, "%s: %v", name, err)
		}
		if well {
			return s.set(configure.Change{Key: d.key, Value: name})
		}
	}
	if s.found {
		s.poor(d.part, "none of %s; %s stays", strings.Join(names, ", "), d.now)
		return nil
	}
	name, err := s.asker.choice(ctx, "Which "+d.part+" is to be used", options(names), d.now)
	if err != nil {
		return err
	}
	return s.set(configure.Change{Key: d.key, Value: name})
}

// card runs the sound devices while work is done.
func (s *session) card(ctx context.Context, input, output string, work func(ctx context.Context, d *device.Device) error) error {
	cfg := s.now.Audio.Config
	cfg.Command, cfg.Env, cfg.Log = []string{s.Executable, "worker", "audio"}, nil, quiet()
	cfg.Input, cfg.Output = cmp.Or(input, isDefault), cmp.Or(output, isDefault)
	cfg.Muted = input == ""
	d, err := device.New(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, opening)
	var running sync.WaitGroup
	running.Go(func() { _ = d.Run(ctx) }) // what fails is in its state
	defer func() { cancel(); running.Wait() }()
	return work(ctx, d)
}

// tryMicrophone listens. If a user is there, it asks for speech.
func (s *session) tryMicrophone(ctx context.Context, name string) (bool, error) {
	if !s.found {
		s.asker.say("Please say something, for three seconds: microphone %s\n", name)
	}
	var levels []float64
	err := s.card(ctx, name, "", func(ctx context.Context, d *device.Device) error {
		for samples := 0; samples < int(heardFor.Seconds()*float64(audio.SpeechRate)); {
			f, err := d.Mic().Read(ctx)
			if err != nil {
				return fmt.Errorf("it gives no sound: %s", cmp.Or(d.State().Problem, err.Error()))
			}
			samples += len(f.Samples)
			levels = append(levels, audio.Level(f.Samples))
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	slices.Sort(levels)
	room, loud := levels[len(levels)/10], levels[len(levels)*95/100]
	switch {
	case loud < alive:
		s.poor("microphone", "%s gives no sound at all", name)
		return false, nil
	case s.found:
		s.good("microphone", "%s gives sound", name)
		return true, nil
	case loud < room+spoken:
		s.poor("microphone", "%s: nobody was heard above the room", name)
		return false, nil
	}
	s.good("microphone", "%s: you were heard, %.0f dB above the room", name, loud-room)
	return true, nil
}

// trySpeaker plays a short sound. If a user is there, it asks whether it was heard.
func (s *session) trySpeaker(ctx context.Context, name string) (bool, error) {
	err := s.card(ctx, "", name, func(ctx context.Context, d *device.Device) error {
		return d.Speaker().Play(ctx, earcon.Full.Clip(earcon.Done))
	})
	if err != nil {
		return false, err
	}
	if s.found {
		s.good("speaker", "%s has played a short sound", name)
		return true, nil
	}
	heard, err := s.asker.yes(ctx, "Was a short sound heard from "+name)
	if heard {
		s.good("speaker", "%s", name)
	}
	return heard, err
}

// wakeWord chooses the wake word and gets its model. If no recogniser hears the language,
// only a flag sets it.
func (s *session) wakeWord(ctx context.Context) error {
	language := s.now.Gateway.Language
	chosen := s.WakeWord
	if chosen == "" && s.Models == "" && s.deaf(language) {
		s.good("wake word", "not needed while no recogniser hears %s", nameOf(language))
		return nil
	}
	if chosen == "" && !s.found && !s.only {
		var words []string
		for _, e := range micro.Catalogue() {
			if e.Word != "" && !slices.Contains(words, e.Word) && !slices.Contains(s.now.Wake.Stop, e.Word) {
				words = append(words, e.Word)
			}
		}
		var err error
		if chosen, err = s.asker.choice(ctx, "Wake word", options(words), strings.Join(s.now.Wake.Words, ", ")); err != nil {
			return err
		}
	}
	if chosen != "" && chosen != strings.Join(s.now.Wake.Words, ", ") {
		if err := s.set(configure.Change{Key: "wake.words", Value: "[" + chosen + "]"}); err != nil {
			return err
		}
	}
	return s.models(ctx)
}

// missing are the models that the configuration uses and that are not here, and how many
// bytes of them are worth a question before they are fetched.
func (s *session) missing() (names []string, bytes int64) {
	if s.now.Wake.Engine == "auto" || s.now.Wake.Engine == "micro" {
		for _, w := range slices.Concat(s.now.Wake.Words, s.now.Wake.Stop) {
			if _, err := micro.Find(s.now.Wake.ModelsDir, w); err != nil {
				names = append(names, w)
			}
		}
	}
	for _, p := range moonshine.Catalogue() {
		files, err := p.Here()
		if err != nil || !s.now.STT.Neural() || p.Language != s.now.Gateway.Language {
			continue
		}
		if _, err := moonshine.Find(s.now.Wake.ModelsDir, p.Language); err != nil {
			names = append(names, "the recogniser "+p.Name)
			for _, f := range files {
				bytes += f.Size
			}
		}
	}
	return names, bytes
}

// models asks about what the configuration uses and is not here. It is fetched when the
// configuration is written.
func (s *session) models(ctx context.Context) error {
	names, bytes := s.missing()
	words := strings.Join(s.now.Wake.Words, ", ")
	how := s.Models
	if len(names) == 0 {
		s.good("wake word", "%s", words)
		return nil
	}
	size := "less than 1 MB"
	if bytes > 0 {
		size = fmt.Sprintf("%d MB", bytes/1e6)
	}
	switch {
	case how == "" && s.found:
		how = Pull
	case how == "":
		s.asker.say("Not here yet: %s\n", strings.Join(names, ", "))
		yes, err := s.asker.yes(ctx, "Download them after the last question, "+size)
		if err != nil {
			return err
		}
		if how = Skip; yes {
			how = Pull
		}
	}
	command, _ := s.Command(s.now)
	if how == Skip {
		s.poor("wake word", "%s, without models; to fetch them, %s: %s models pull", words, size, command)
		return nil
	}
	from := how
	if how == Pull {
		from = ""
	}
	s.pull = func(ctx context.Context) error {
		if from == "" {
			s.asker.say("Downloading the models, %s …\n", size)
		}
		if err := s.Pull(ctx, s.now, from); err != nil {
			if ctx.Err() != nil {
				s.asker.say("\nThe configuration is written. To fetch the models: %s models pull\n", command)
				return ctx.Err()
			}
			s.poor("wake word", "%s, without all of its models; to try again: %s models pull", words, command)
			for line := range strings.Lines(err.Error()) {
				s.asker.say("  %s\n", strings.TrimSpace(line))
			}
			return nil
		}
		s.good("wake word", "%s", words)
		return nil
	}
	return nil
}
