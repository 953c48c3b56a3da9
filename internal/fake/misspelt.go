package fake

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Misspelt is a name of something dangerous as a family may have typed it.
type Misspelt struct {
	Language string // the code of the language of the name
	Right    string // the name without the slip
	Name     string // the name with it
}

// Numbers of the set. The seed never changes, so that figures of different days can
// be compared.
const (
	misspeltSeed  = 20261127
	misspeltNames = 300
)

// dangerousNames are ten names in each language of things that must not be opened or
// switched on by mistake.
var dangerousNames = map[string][]string{
	"en": {"Garage", "Front Door", "Garage Door", "Siren", "Stove", "Oven", "Boiler", "Water Valve", "Sprinkler", "Side Gate"},
	"de": {"Garagentor", "Haustür", "Backofen", "Sirene", "Hauptventil", "Wasserhahn", "Kochfeld", "Alarmanlage", "Hoftor", "Bewässerung"},
	"fr": {"Porte d'entrée", "Portail", "Cuisinière", "Chauffe-eau", "Sirène", "Robinet", "Vanne", "Arrosage", "Barrière", "Friteuse"},
	"es": {"Puerta", "Portón", "Horno", "Sirena", "Válvula", "Riego", "Garaje", "Vitrocerámica", "Alarma", "Verja"},
}

// lookalikes are ordinary words and names that begin, end or sound like something
// dangerous and are not.
var lookalikes = []string{
	"Garden", "Stone", "Store", "Sirius", "Salon", "Gallery", "Garland", "Gamer", "Gaming", "Galley", "Gale", "Kate", "Late Night", "Date",
	"Doris", "Dora", "Donna", "Moor", "Floor", "Poor Man", "Indoor", "Outdoor", "Owen", "Olive", "Open Office", "Even", "Seven", "Raven", "Haven",
	"Stage", "Stove Pipe Lamp", "Stereo", "Steve", "Stave", "Shave", "Value", "Salve", "Valley", "Violin", "Alan", "Alba", "Alarm Clock", "Algae",
	"Grid", "Girl", "Drill", "Thrill", "Fauna", "Sanna", "Laura", "Sienna", "Simon", "Sister", "Broiler Plate Lamp", "Toilet", "Bowler", "Trailer",
	"Filter", "Printer", "Springer", "Sprinter", "Twinkler", "Hood", "Hub", "Hob Lamp", "Hop", "Tape", "Top", "Cap", "Map", "Iris", "Irene", "Aaron",
	"Rose", "Horse", "House", "Hotel", "Hatchback Charger", "Match", "Watch", "Barrel", "Barista", "Carrier", "Fire TV", "Fern", "Freezer", "Dryer",
	"Motor", "Monitor", "Torte", "Tour", "Tom", "Toro", "Otto", "Doktor", "Traktor", "Flur", "Tier", "Tuner", "Natur", "Kultur", "Figur", "Hafen", "Hase",
	"Herz", "Hemd", "Pferd", "Bahn", "Zahn", "Hand", "Ventilator", "Konzert", "Advent", "Sabine", "Serene", "Marina", "Karin", "Kanin", "Kamille",
	"Kochbuch", "Kiste", "Gitarre", "Garten", "Gardine", "Garderobe", "Regal", "Regen", "Sprachbox", "Halle", "Forte", "Pfosten", "Polier", "Kleiderschrank",
	"Poster", "Portrait", "Poupée", "Posture", "Porto", "Carte", "Tarte", "Torche", "Fleur", "Fontaine", "Larme", "Charme", "Ferme", "Canne", "Panne",
	"Cabinet", "Ruban", "Cousine", "Cuisine", "Marine", "Baleine", "Piscine", "Reine", "Chaise", "Chambre", "Voile", "Bannière", "Lumière", "Rivière",
	"Lancha", "Mancha", "Pintura", "Puerto", "Huerta", "Puente", "Torno", "Forno Bianco Lampe", "Trono", "Hormiga", "Juego", "Riesgo", "Fuego Lamp", "Diego",
	"Armario", "Palma", "Alma", "Calma", "Serena", "Arena", "Sirenita Lamp", "Vela", "Vieja", "Oveja", "Abeja", "Granja", "Cocina", "Viaje", "Traje", "Paraje",
}

// placesAndThings stand before and behind a word in the name of a relay.
var placesAndThings = []string{"%", "% Lamp", "% Light", "% Fan", "% Plug", "% Radio", "% Speaker", "% Charger", "My %", "% 2"}

// MisspeltHazards returns 300 spellings of 40 dangerous names in four languages:
// swapped, lost and doubled letters, letters of other scripts that look the same,
// words that are joined or cut, and two slips in one long name. They are the same in
// each run.
func MisspeltHazards() []Misspelt {
	r := rand.New(rand.NewPCG(misspeltSeed, 1))
	slips := []func(*rand.Rand, string) string{swapLetters, dropLetter, doubleLetter, foreignLetter, joinOrCut, twoSlips}
	var all []Misspelt
	seen := map[string]bool{}
	for round := 0; len(all) < misspeltNames; round++ {
		for _, language := range []string{"en", "de", "fr", "es"} {
			for i, right := range dangerousNames[language] {
				name := slips[(round+i)%len(slips)](r, right)
				if name == right || seen[name] || len(all) == misspeltNames {
					continue
				}
				seen[name] = true
				all = append(all, Misspelt{language, right, name})
			}
		}
	}
	return all
}

// Lookalikes returns 300 harmless names that look like dangerous ones. They are the
// same in each run.
func Lookalikes() []string {
	r := rand.New(rand.NewPCG(misspeltSeed, 2))
	all := slices.Clone(lookalikes)
	for len(all) < misspeltNames {
		word, form := lookalikes[r.IntN(len(lookalikes))], placesAndThings[r.IntN(len(placesAndThings))]
		if name := strings.ReplaceAll(form, "%", word); !strings.Contains(word, " ") && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all[:misspeltNames]
}

// letterAt picks a place in a name at which two letters stand side by side; the first
// letter of a word is seldom mistyped and is left.
func letterAt(r *rand.Rand, letters []rune) int {
	var places []int
	for i := 1; i+1 < len(letters); i++ {
		if letters[i-1] != ' ' && letters[i] != ' ' && letters[i+1] != ' ' && letters[i] != '\'' && letters[i+1] != '\'' && letters[i] != '-' && letters[i+1] != '-' {
			places = append(places, i)
		}
	}
	return places[r.IntN(len(places))]
}

func swapLetters(r *rand.Rand, name string) string {
	letters := []rune(name)
	i := letterAt(r, letters)
	letters[i], letters[i+1] = letters[i+1], letters[i]
	return string(letters)
}

func dropLetter(r *rand.Rand, name string) string {
	letters := []rune(name)
	i := letterAt(r, letters)
	return string(slices.Delete(letters, i, i+1))
}

func doubleLetter(r *rand.Rand, name string) string {
	letters := []rune(name)
	i := letterAt(r, letters)
	return string(slices.Insert(letters, i, letters[i]))
}

// foreignLetter writes a letter by another one that looks the same: Cyrillic, Greek,
// full width, or a digit.
func foreignLetter(r *rand.Rand, name string) string {
	alike := map[rune]string{
		'a': "аａ4", 'c': "сс", 'e': "еｅ3", 'i': "іｉ1", 'l': "ｌ1", 'o': "оο0", 'p': "рｐ", 'r': "ｒ", 's': "ѕ5", 'v': "ν", 'n': "ｎ", 't': "ｔ7", 'A': "АΑ", 'B': "ВΒ",
		'C': "С", 'G': "Ｇ", 'H': "НΗ", 'K': "КΚ", 'O': "ОΟ0", 'P': "РΡ", 'S': "ЅＳ", 'R': "Ｒ",
	}
	letters := []rune(name)
	var places []int
	for i, letter := range letters {
		if alike[letter] != "" {
			places = append(places, i)
		}
	}
	i := places[r.IntN(len(places))]
	of := []rune(alike[letters[i]])
	letters[i] = of[r.IntN(len(of))]
	return string(letters)
}

// joinOrCut takes the blank or hyphen out of a name of two words, and cuts a name of
// one word in two, none of them a single letter.
func joinOrCut(r *rand.Rand, name string) string {
	if i := strings.IndexAny(name, " -"); i > 0 {
		return name[:i] + strings.ToLower(name[i+1:])
	}
	letters := []rune(name)
	i := len(letters) / 2
	if len(letters) > 4 {
		i = 2 + r.IntN(len(letters)-3)
	}
	return string(letters[:i]) + " " + string(letters[i:])
}

// twoSlips makes two slips in a name of eight letters or more, one in a shorter one.
func twoSlips(r *rand.Rand, name string) string {
	one := []func(*rand.Rand, string) string{swapLetters, dropLetter, doubleLetter, foreignLetter}
	name = one[r.IntN(len(one))](r, name)
	if len([]rune(name)) >= 8 {
		name = one[r.IntN(len(one))](r, name)
	}
	return name
}
