package home_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json    string
		wantErr string
	}{
		"null floor and area": {json: `{"areas":[{"name":"Kitchen","floor":null}],"entities":[{"id":"a","name":"A","area":null,"state":21.5}]}`},
		"string state":        {json: `{"entities":[{"id":"a","name":"A","state":"on"}]}`},
		"merged":              {json: `{"merged":{"entities":[{"id":"a","name":"A"}]},"fixtures":{"x":{"entities":[]},"n":null}}`},
		"empty":               {json: `{}`},
		"not json":            {json: `nope`, wantErr: "reading house"},
		"no id":               {json: `{"entities":[{"name":"A"}]}`, wantErr: `entity 0 ("A") has no id`},
		"no name":             {json: `{"entities":[{"id":"a"}]}`, wantErr: "entity 0 has no name"},
		"same id":             {json: `{"entities":[{"id":"a","name":"A"},{"id":"a","name":"B"}]}`, wantErr: `id "a"`},
		"long name":           {json: `{"areas":[{"name":"` + strings.Repeat("x", 300) + `"}]}`, wantErr: "300 bytes"},
		"bad fixture":         {json: `{"fixtures":{"x":{"areas":[{}]}}}`, wantErr: `fixture "x": area 0`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := home.LoadFile([]byte(tt.json))
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Fatalf("got error %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestSharedHousesLoad(t *testing.T) {
	t.Parallel()
	for _, elem := range [][]string{
		{"intents", "home.json"}, {"intents", "home_de.json"}, {"intents", "natural_home.json"}, {"speech", "clips", "home.json"},
	} {
		data, err := os.ReadFile(fake.Shared(t, elem...))
		if err != nil {
			t.Fatal(err)
		}
		f, err := home.LoadFile(data)
		if err != nil {
			t.Fatalf("%v: %v", elem, err)
		}
		if f.Main.Empty() {
			t.Errorf("%v: no entities", elem)
		}
	}
}

func TestFixtureFallsBackToMain(t *testing.T) {
	t.Parallel()
	f, err := home.LoadFile([]byte(`{"merged":{"areas":[{"name":"M"}]},"fixtures":{"x":{"areas":[{"name":"X"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.House("x").Areas[0].Name; got != "X" {
		t.Errorf("fixture x has area %q", got)
	}
	if got := f.House("y").Areas[0].Name; got != "M" {
		t.Errorf("unknown fixture has area %q", got)
	}
}

func ExampleLoad() {
	h, err := home.Load([]byte(`{"areas":[{"name":"Kitchen","aliases":["galley"]}],
		"entities":[{"id":"light.k","name":"Kitchen Light","domain":"light","area":"Kitchen"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Area("GALLEY").Name, h.Entity("light.k").In("kitchen"))
	// Output: Kitchen true
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"entities":[{"id":"a","name":"A","state":1,"attributes":{"position":true}}]}`))
	f.Add([]byte(`{"fixtures":{"x":null},"merged":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := home.LoadFile(data)
		if err != nil {
			return
		}
		h := file.House("x")
		_ = h.AreaNames()
		for i := range h.Entities {
			if h.Entity(h.Entities[i].ID) == nil {
				t.Fatal("an entity of the house is not found by its id")
			}
		}
	})
}
