//go:build accept

package page

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
)

// The picture of the page in the README is one of an evening, in dist/page: on a wide screen
// and on a telephone, by day and in the dark.
func TestAcceptPagePicture(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	silence := filepath.Join(t.TempDir(), "silence.wav")
	save(t, silence, make([]int16, audio.SpeechRate))
	card, _ := fake.SoundCard(t, fmt.Sprintf("wav %q", silence))
	broker := mosquitto(t)
	rig.StartHouse(t, broker)
	g := run(t, "gateway: {id: home, area: Kitchen}\nwake: {engine: none}\n", broker, card)
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Front Door")+` === "unlocked"`)
	p.watch()
	p.press("Front Door", ".face")
	p.proves("Front Door", "confirmed", "locked")
	for _, act := range []map[string]any{
		{"thing": "Mood Light", "do": "colour", "value": "orange"},
		{"thing": "Attic Light", "do": "level", "value": 30},
		{"thing": "Bedroom Lamp", "do": "level", "value": 60},
		{"thing": "Coffee Machine", "do": "on"},
	} {
		if err := g.post("/api/control", act, new(any)); err != nil {
			t.Fatal(err)
		}
	}
	p.ask("set the living room light to forty percent", "40 percent")
	if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": "pasta", "seconds": 540}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#timers", "pasta")
	p.ask("is the front door locked", "Yes")
	p.press("Hallway Light", ".face")
	p.proves("Hallway Light", "confirmed", "on")
	p.eventually("the lamps are lit", stateOf("Bedroom Lamp")+` === "on · 60 %"`)
	for _, screen := range []struct {
		name       string
		wide, high int64
		options    []chromedp.EmulateViewportOption
	}{{"wide", 1200, 1130, nil}, {"telephone", 390, 844, []chromedp.EmulateViewportOption{chromedp.EmulateMobile}}} {
		p.do(chromedp.EmulateViewport(screen.wide, screen.high, screen.options...), chromedp.Evaluate[chromedp.Void]("scrollTo(0, 0)"))
		p.sight("readme-" + screen.name)
	}
	p.likesDark()
	p.sight("readme-telephone-dark")
	p.do(chromedp.EmulateViewport(1200, 1130), chromedp.Evaluate[chromedp.Void]("scrollTo(0, 0)"))
	p.sight("readme-wide-dark")
	for _, light := range []string{"", "-dark"} {
		joinPictures(t, "readme"+light, "readme-wide"+light, "readme-telephone"+light)
	}
	w.stayedHome(t, g.url)
}

// joinPictures makes one picture of several that stand side by side.
func joinPictures(t *testing.T, name string, names ...string) {
	t.Helper()
	var all []image.Image
	var size image.Point
	for _, one := range names {
		file, err := os.Open(filepath.Join(shots, one+".png"))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(file)
		_ = file.Close() // it was read
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, picture)
		size = image.Pt(size.X+picture.Bounds().Dx(), max(size.Y, picture.Bounds().Dy()))
	}
	made, at := image.NewRGBA(image.Rectangle{Max: size}), 0
	draw.Draw(made, made.Bounds(), image.NewUniform(all[0].At(0, size.Y-1)), image.Point{}, draw.Src) // the ground of the page
	for _, picture := range all {
		draw.Draw(made, picture.Bounds().Add(image.Pt(at, 0)), picture, image.Point{}, draw.Src)
		at += picture.Bounds().Dx()
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(encoder.Encode(&out, made), os.WriteFile(filepath.Join(shots, name+".png"), out.Bytes(), 0o600)); err != nil {
		t.Error(err)
	}
}
