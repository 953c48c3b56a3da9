package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/mind/replay"
)

// replaying is the work of replay, with its flags.
type replaying struct {
	*app
	*loaded
	log *slog.Logger

	marked, asJSON, textOnly bool
	home, pack, language     string

	today *intent.Pack
	ear   taughtEar
}

// job is one turn to run, with the sound of its utterance, which may be missing.
type job struct {
	replay.Case
	sound []byte
}

// replayCommand runs turns of before through today's program.
func (a *app) replayCommand() *cobra.Command {
	r := replaying{app: a}
	c := &cobra.Command{
		Use: "replay TURN|FILE...", Short: "Run earlier turns through today's program, and compare the results",
		Long: `Runs turns once more: by their ids, as turns lists them ("last" is the last one), from
files with records or recordings (JSON Lines, or a WAV file with its record beside
it), or with --marked all that were marked as wrong. Nothing is done: a replay has
neither servers nor a language model, and what is planned is shown beside what
happened then. The house is that of the mark, or --home FILE, or the running gateway's.
A turn is run by itself, without what was said before it.

With --marked the exit status is 1 if a turn would still go wrong.`,
		Args: func(c *cobra.Command, args []string) error {
			if (len(args) == 0) != r.marked {
				return configure.AsUseError(fmt.Errorf("%s needs turns or files, or --marked", c.CommandPath()))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if r.loaded, err = a.load(c.Context()); err != nil {
				return err
			}
			r.log = a.logger(slog.LevelError)
			return r.run(c.Context(), args)
		},
	}
	c.Flags().BoolVar(&r.marked, "marked", false, "all turns that were marked as wrong, each right or wrong today")
	c.Flags().BoolVar(&r.asJSON, "json", false, "print one outcome a line")
	c.Flags().BoolVar(&r.textOnly, "text", false, "run the text, even where the sound is kept")
	c.Flags().StringVar(&r.home, "home", "", "a file with the house, where none was kept (default: that of the running gateway)")
	c.Flags().StringVar(&r.pack, "pack", "", "a file with sentences in the form of ours, or a directory with Home Assistant's (default: our own)")
	c.Flags().StringVar(&r.language, "lang", "", "the language of the sentences (default: gateway.language)")
	return c
}

func (r *replaying) run(ctx context.Context, args []string) error {
	language := r.language
	if language == "" {
		language = r.Gateway.Language
	}
	var err error
	if r.today, err = r.sentences(language); err != nil {
		return configure.AsUseError(err)
	}
	own, err := intent.Ours(r.Gateway.Language)
	if err != nil {
		return err
	}
	kept, err := r.wordings(ctx)
	if err != nil {
		return err
	}
	today, err := replay.New(replay.Config{Pack: r.today, Own: own, Language: r.Gateway.Language, Limits: r.Safety, Wordings: kept, Log: r.log})
	if err != nil {
		return err
	}
	jobs, err := r.jobs(ctx, args)
	if err != nil {
		return err
	}
	defer r.ear.close()
	progress := console.Progress{To: r.Err, What: "turns", Of: len(jobs)}
	verdicts := map[record.Rightness]int{}
	for i, j := range jobs {
		if err := r.hear(ctx, &j); err != nil {
			return fmt.Errorf("hearing turn %s: %w; --text runs its text", j.Then.ID, err)
		}
		o, err := today.Run(ctx, j.Case)
		if err != nil {
			return fmt.Errorf("running turn %s: %w", j.Then.ID, err)
		}
		verdicts[o.Rightness]++
		if err := r.tell(o); err != nil {
			return err
		}
		progress.Tell(i + 1)
	}
	return r.sum(verdicts, len(jobs))
}

// sentences are those that are tried.
func (r *replaying) sentences(language string) (*intent.Pack, error) {
	info, err := os.Stat(r.pack)
	if r.pack == "" || err != nil || !info.Mode().IsRegular() {
		return loadPack(r.pack, language)
	}
	data, err := readBounded(r.pack)
	if err != nil {
		return nil, err
	}
	pack, err := intent.LoadPack(data)
	if err != nil {
		return nil, fmt.Errorf("--pack %s: %w", r.pack, err)
	}
	return pack, nil
}

// sum prints how many marked turns go right.
func (r *replaying) sum(verdicts map[record.Rightness]int, all int) error {
	if !r.marked {
		return nil
	}
	if !r.asJSON {
		fmt.Fprintf(r.Out, "%d marked: %d right, %d wrong, %d open\n", all, verdicts[record.Right], verdicts[record.Wrong], verdicts[record.Open])
	}
	if verdicts[record.Wrong] > 0 {
		return console.ToldError{Err: errors.New("a marked turn is still wrong")}
	}
	return nil
}

// wordings are the family's own: the running gateway's, or those on the disk.
func (r *replaying) wordings(ctx context.Context) (kept []record.Wording, err error) {
	kept, err = doors.Wordings.Ask(ctx, r.daemon().ask, struct{}{})
	if errors.Is(err, errNoDaemon) {
		return family.NewWordings(r.Gateway.StateDir, r.today.Bare, nil, r.log).List(), nil
	}
	return kept, err
}

// jobs finds the turns to run.
func (r *replaying) jobs(ctx context.Context, args []string) (all []job, err error) {
	if r.marked {
		return r.marks(ctx)
	}
	for _, arg := range args {
		var more []job
		switch info, err := os.Stat(arg); {
		case err == nil && info.Mode().IsRegular():
			more, err = r.file(ctx, arg)
			if err != nil {
				return nil, err
			}
		default:
			if more, err = r.turns(ctx, arg); err != nil {
				return nil, err
			}
		}
		all = append(all, more...)
	}
	return all, nil
}

// turns finds one of the running gateway's last turns.
func (r *replaying) turns(ctx context.Context, id string) ([]job, error) {
	id, err := r.daemon().turn(ctx, id)
	if err != nil {
		return nil, err
	}
	turns, err := doors.LastTurns.Ask(ctx, r.daemon().order, doors.Newest(doors.MaxTurns))
	if err != nil {
		return nil, err
	}
	for _, t := range turns {
		if t.ID != id {
			continue
		}
		rooms, err := r.rooms(ctx)
		if err != nil {
			return nil, err
		}
		j := job{Case: replay.Case{Then: t, Rooms: rooms}}
		j.sound = r.soundOf(t)
		return []job{j}, nil
	}
	return nil, fmt.Errorf("there is no file and no turn %s among the last %d; voice-gateway turns lists them", console.Clean(id), len(turns))
}

// soundOf is the sound that the recorder has of a turn, where this person may read it.
func (r *replaying) soundOf(t record.Record) []byte {
	dir := r.Recorder.Dir
	if dir == "" {
		dir = filepath.Join(r.Gateway.StateDir, recorder.Dir)
	}
	sound, err := recorder.Sound(dir, t)
	if err != nil {
		return nil
	}
	return sound
}

// mostOfAFile bounds what is read of one file.
const mostOfAFile = 16 << 20

// file reads records, or a recording with its record beside it.
func (r *replaying) file(ctx context.Context, name string) ([]job, error) {
	rooms, err := r.rooms(ctx)
	if err != nil {
		return nil, err
	}
	data, err := process.ReadUntil(ctx, func() ([]byte, error) { return readBounded(name) })
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(filepath.Ext(name), ".wav") {
		turns, err := readRecords(data)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w; expected records, one a line, as turns --json prints them", name, err)
		}
		all := make([]job, len(turns))
		for i, t := range turns {
			all[i] = job{Case: replay.Case{Then: t, Rooms: rooms}}
		}
		return all, nil
	}
	j := job{Case: replay.Case{Rooms: rooms, Then: record.Record{ID: filepath.Base(name), Source: record.FromFile, Area: r.Gateway.Area}}, sound: data}
	beside := strings.TrimSuffix(name, filepath.Ext(name)) + ".json"
	if text, err := process.ReadUntil(ctx, func() ([]byte, error) { return readBounded(beside) }); err == nil {
		turns, err := readRecords(text)
		if err != nil || len(turns) != 1 {
			return nil, fmt.Errorf("reading %s: expected the record of one turn; %w", beside, errors.Join(err))
		}
		j.Then = turns[0]
	}
	return []job{j}, nil
}

// readBounded reads a file that is not too large.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, mostOfAFile+1))
	if err == nil && len(data) > mostOfAFile {
		err = fmt.Errorf("%s is over %d bytes", name, mostOfAFile)
	}
	return data, err
}

// readRecords reads the records of turns, one after another.
func readRecords(data []byte) (turns []record.Record, err error) {
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		var t record.Record
		if err := decoder.Decode(&t); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	if len(turns) == 0 {
		return nil, errors.New("there is no record in it")
	}
	return turns, nil
}

// marks are all marked turns: the running gateway's, or those on the disk.
func (r *replaying) marks(ctx context.Context) ([]job, error) {
	disk := family.NewMarks(r.Gateway.StateDir, r.log)
	list, err := doors.Marks.Ask(ctx, r.daemon().ask, struct{}{})
	running := !errors.Is(err, errNoDaemon)
	switch {
	case !running:
		list = disk.List()
	case err != nil:
		return nil, err
	}
	all := make([]job, 0, len(list))
	for _, m := range list {
		j := job{Case: replay.Case{Then: m.Then, Marked: true, Should: m.Should}}
		switch {
		case running:
			one, err := doors.Mark.Ask(ctx, r.daemon().ask, doors.ByID{ID: m.ID})
			if err != nil {
				return nil, err
			}
			j.Rooms = one.Rooms
		default:
			j.Rooms, _ = disk.House(m) // without it, the house is another one
		}
		if len(j.Rooms.Entities) == 0 {
			if j.Rooms, err = r.rooms(ctx); err != nil {
				return nil, err
			}
			fmt.Fprintf(r.Err, "voice-gateway: the house of turn %s was not kept; it is run in the present one\n", console.Clean(m.ID))
		}
		if m.Sound {
			j.sound, _ = disk.Sound(m) // the recording may be closed to this user: then the text is run
		}
		all = append(all, j)
	}
	return all, nil
}

// rooms is the house where none was kept.
func (r *replaying) rooms(ctx context.Context) (rooms home.Snapshot, err error) {
	if r.home == "" {
		rooms, err = doors.House.Ask(ctx, r.daemon().ask, struct{}{})
		if errors.Is(err, errNoDaemon) {
			return rooms, configure.AsUseError(errors.New("no gateway runs whose house could be asked for; name a file with the house: --home FILE"))
		}
		return rooms, err
	}
	data, err := readBounded(r.home)
	if err != nil {
		return rooms, err
	}
	h, err := home.Load(data)
	if err != nil {
		return rooms, fmt.Errorf("reading the house %s: %w", r.home, err)
	}
	rooms = home.Snapshot{Floors: h.Floors, Areas: h.Areas}
	for _, e := range h.Entities {
		rooms.Entities = append(rooms.Entities, home.EntityState{Entity: e, Server: "zwave"})
	}
	return rooms, nil
}
