package page

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "draw the icons of the installed page")

// side is the side of the drawing in icon.svg, to whose numbers the ones here are equal.
const side = 32

// bars are its lines: where each stands, and from where to where it goes.
var bars = [][3]float64{{8, 14, 18}, {12, 9, 23}, {16, 12, 20}, {20, 7, 25}, {24, 14, 18}}

const (
	thick  = 2.4 // of a bar
	corner = 7.0 // the radius of the ground's corners
	shades = 16  // samples of a pixel in each of its edges
)

// draw is icon.svg as a picture of some pixels in each direction. A full one has no corners,
// so that a phone can cut its own.
func draw(pixels int, full bool) *image.Paletted {
	// The colours are those between nothing and the ground, then those between it and white.
	palette := color.Palette{}
	for i := range shades + 1 {
		palette = append(palette, color.NRGBA{0x24, 0x56, 0xa6, uint8(i * 255 / shades)})
	}
	for i := 1; i <= shades; i++ {
		mix := func(ground uint8) uint8 { return uint8(int(ground) + (255-int(ground))*i/shades) }
		palette = append(palette, color.NRGBA{mix(0x24), mix(0x56), mix(0xa6), 255})
	}
	m := image.NewPaletted(image.Rect(0, 0, pixels, pixels), palette)
	unit := float64(pixels) / side
	// covered is how much of a pixel is on the near side of an edge that is so far away.
	covered := func(distance float64) int {
		return int(math.Round(math.Min(1, math.Max(0, 0.5-distance*unit)) * shades))
	}
	for py := range pixels {
		for px := range pixels {
			x, y := (float64(px)+0.5)/unit, (float64(py)+0.5)/unit
			nearest := math.Inf(1)
			for _, bar := range bars {
				nearest = math.Min(nearest, math.Hypot(x-bar[0], y-math.Min(math.Max(y, bar[1]), bar[2]))-thick/2)
			}
			index := shades
			if white := covered(nearest); white > 0 {
				index += white
			} else if !full {
				inX, inY := math.Abs(x-side/2)-side/2+corner, math.Abs(y-side/2)-side/2+corner
				index = covered(math.Hypot(math.Max(inX, 0), math.Max(inY, 0)) + math.Min(math.Max(inX, inY), 0) - corner)
			}
			m.SetColorIndex(px, py, uint8(index))
		}
	}
	return m
}

// TestIconsAreTheDrawing checks that the icons that a phone shows are icon.svg.
func TestIconsAreTheDrawing(t *testing.T) {
	t.Parallel()
	svg, err := bundle.ReadFile("files/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	for _, bar := range bars {
		lines += "M" + number(bar[0]) + " " + number(bar[1]) + "v" + number(bar[2]-bar[1])
	}
	if !bytes.Contains(svg, []byte(`d="`+lines+`"`)) {
		t.Errorf("icon.svg has other lines than %s", lines)
	}
	for name, wanted := range map[string]*image.Paletted{
		"icon-192.png": draw(192, false), "icon-512.png": draw(512, false), "icon-full.png": draw(512, true),
	} {
		if *update {
			var file bytes.Buffer
			encoder := png.Encoder{CompressionLevel: png.BestCompression}
			if err := encoder.Encode(&file, wanted); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("files/"+name, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := bundle.ReadFile("files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		p, ok := got.(*image.Paletted)
		if !ok || !bytes.Equal(p.Pix, wanted.Pix) || p.Rect != wanted.Rect {
			t.Errorf("%s is another drawing; replace it: go test ./internal/doors/page -run Icons -update", name)
		}
	}
}
