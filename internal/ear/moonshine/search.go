package moonshine

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// Limits of the search. Scores are natural logarithms of probabilities.
const (
	width = 8  // texts that are followed at once
	prune = 14 // below the best one, a text is given up
	// besides is how far, by score, a sentence may be below the best one and still be
	// reported.
	besides = 4
	// unlikely is how far below the likeliest sentence, by score, another one may not
	// be the best, whatever its words add to its rank.
	unlikely = 5
	// eachWord is added for every word to what a text is ranked by: in noise the
	// network is too ready to end a text before the speech does. It was found on the
	// human recordings in kitchen noise at 6 dB (docs/facts/engines.md). A second
	// sentence gets nothing, because the network also likes to say a sentence twice.
	eachWord = 1.0
	// hopeless below the free reading, no sentence will be taken.
	hopeless = 45
	// tokensEach is more tokens than a person says in a second, and tokensMore allows for
	// marks and the end. The network's makers bound its output by 6.5 a second.
	tokensEach = 8
	tokensMore = 8
)

// network gives the scores of tokens. Each row of scores has a value for every token
// of the vocabulary, the higher the more likely.
type network interface {
	// begin returns the scores of the first token.
	begin() ([]float32, error)
	// step appends a token to rows of the step before, each named by its index, and
	// returns the scores of what follows each. The scores are valid until the next
	// step.
	step(rows []row) ([][]float32, error)
}

// row is a text of the step before with one more token.
type row struct {
	parent int
	token  int32
}

// Reading is a text with the logarithm of its probability, and with what it is ranked
// by.
type Reading struct {
	Text string `json:"text"`
	weight
}

// weight says how much speaks for a text.
type weight struct {
	Score float64 `json:"score"`
	Rank  float64 `json:"rank"`
}

func (w weight) plus(score, bonus float64) weight {
	return weight{Score: w.Score + score, Rank: w.Rank + score + bonus}
}

// or adds the probabilities of two spellings.
func (w weight) or(o weight) weight {
	return weight{Score: logAdd(w.Score, o.Score), Rank: logAdd(w.Rank, o.Rank)}
}

// Result is what was made of a sound.
type Result struct {
	Sentences []Reading `json:"sentences,omitempty"` // of the automaton, the best one first
	Part      Reading   `json:"part"`                // the likeliest beginning of a sentence that ends in a word
	// Free is what the network writes without an automaton: in lower case without
	// signs, with figures in the automaton's words.
	Free Reading `json:"free"`
}

// candidate is a text that is followed.
type candidate struct {
	node int32
	text string // in the network's spelling
	key  string // plain text, and whether a word is open
	weight
	row
}

// search finds the sentences of a lattice that explain a sound best, and what the
// network would write by itself.
type search struct {
	net      network
	lat      *lattice
	texts    []string // of the tokens
	live     []candidate
	ends     map[string]weight // whole sentences by plain text
	parts    map[string]weight // beginnings of sentences
	free     candidate
	freeOver bool
}

// run searches until nothing better can come, at most that many steps.
func (s *search) run(ctx context.Context, steps int) (Result, error) {
	s.ends, s.parts = make(map[string]weight), make(map[string]weight)
	s.live = []candidate{{node: firstNode}}
	first, err := s.net.begin()
	if err != nil {
		return Result{}, err
	}
	scores := [][]float32{first}
	rows := []int{0} // of the live texts in scores
	freeRow := 0
	for range steps {
		sums := logSums(scores)
		s.extend(scores, sums, rows)
		if !s.freeOver {
			s.readOn(scores[freeRow], sums[freeRow])
		}
		next := s.rows()
		if len(next) == 0 || s.settled() || ctx.Err() != nil {
			break
		}
		for i, r := range next { // parents are candidates so far; the network counts rows
			if i < len(s.live) {
				next[i].parent = rows[r.parent]
			} else {
				next[i].parent = freeRow
			}
		}
		if scores, err = s.net.step(next); err != nil {
			return Result{}, err
		}
		rows = rows[:0]
		for i := range s.live {
			rows = append(rows, i)
		}
		freeRow = len(next) - 1
	}
	return s.result(), context.Cause(ctx)
}

// rows are the texts for the network's next step: the live ones, then the free one.
func (s *search) rows() []row {
	var rows []row
	for _, h := range s.live {
		rows = append(rows, h.row)
	}
	if !s.freeOver {
		rows = append(rows, s.free.row)
	}
	return rows
}

// readOn adds the likeliest token of all to the free text. sum is the logSum of the scores.
func (s *search) readOn(scores []float32, sum float64) {
	best := slices.Index(scores, highest(scores))
	s.free.weight = s.free.plus(float64(scores[best])-sum, 0)
	s.free.token = int32(best)
	if best == tokenEnd {
		s.freeOver = true
		return
	}
	if best < len(s.texts) && best > lastBare {
		s.free.text += s.texts[best]
	}
}

// extend replaces the live texts by the best of those with one more token. sums are the logSums
// of the scores; rows has for each live text which of them are its own.
func (s *search) extend(scores [][]float32, sums []float64, rows []int) {
	var grown []candidate
	for i, h := range s.live {
		row, sum := scores[rows[i]], sums[rows[i]]
		if n := &s.lat.nodes[h.node]; n.over {
			add(s.parts, s.ends, n.accept, s.lat.restoreWords(plainText(h.text)), h.plus(float64(row[tokenEnd])-sum, 0))
		}
		for _, w := range s.lat.next(h.node) {
			if int(w.token) < len(row) {
				grown = append(grown, s.with(i, w, float64(row[w.token])-sum))
			}
		}
	}
	slices.SortFunc(grown, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.parent, b.parent), cmp.Compare(a.token, b.token))
	})
	s.live = s.merge(grown)
}

// with returns a live text with a token more.
func (s *search) with(parent int, w way, score float64) candidate {
	bonus := 0.0
	if !s.lat.nodes[w.to].later {
		text := s.texts[w.token]
		bonus = eachWord * float64(strings.Count(text, "▁")+strings.Count(text, "-"))
	}
	return candidate{node: w.to, weight: s.live[parent].plus(score, bonus), row: row{parent: parent, token: w.token}}
}

// add counts a text that ends here among the sentences or the parts of one.
func add(parts, ends map[string]weight, accept bool, text string, w weight) {
	where := parts
	if accept {
		where = ends
	}
	if had, ok := where[text]; ok {
		w = w.or(had)
	}
	where[text] = w
}

// merge keeps the best texts. One that is spelled in several ways counts once, with
// the probabilities added.
func (s *search) merge(grown []candidate) []candidate {
	var kept []candidate
	seen := make(map[string]int)
	for _, h := range grown {
		if len(kept) > 0 && h.Rank < kept[0].Rank-prune {
			break
		}
		h.text = s.live[h.parent].text + s.texts[h.token]
		h.key = spelled.Replace(strings.ToLower(h.text))
		h.key = plainText(h.key) + h.key[len(h.key)-1:]
		if same, ok := seen[h.key]; ok {
			kept[same].weight = kept[same].or(h.weight)
			continue
		}
		if len(kept) == width {
			break
		}
		seen[h.key] = len(kept)
		kept = append(kept, h)
	}
	return kept
}

// settled reports whether no text that is still followed can change the result.
func (s *search) settled() bool {
	best := math.Inf(-1)
	for _, w := range s.ends {
		best = max(best, w.Rank)
	}
	for _, w := range s.parts {
		best = max(best, w.Rank)
	}
	most := math.Inf(-1)
	for _, h := range s.live {
		most = max(most, h.Rank)
	}
	if !s.freeOver {
		return false
	}
	return most < best-besides || max(most, best) < s.free.Rank-hopeless
}

// result sorts what was found.
func (s *search) result() Result {
	r := Result{Free: Reading{Text: s.lat.restoreWords(plainText(s.free.text)), weight: s.free.weight}}
	likeliest := math.Inf(-1)
	for _, w := range s.ends {
		likeliest = max(likeliest, w.Score)
	}
	maps.DeleteFunc(s.ends, func(_ string, w weight) bool { return w.Score < likeliest-unlikely })
	r.Sentences = sortReadings(s.ends)
	if len(r.Sentences) > 0 {
		best := r.Sentences[0].Rank
		r.Sentences = slices.DeleteFunc(r.Sentences, func(o Reading) bool { return o.Rank < best-besides })
	}
	if parts := sortReadings(s.parts); len(parts) > 0 {
		r.Part = parts[0]
	}
	return r
}

func sortReadings(texts map[string]weight) []Reading {
	var all []Reading
	for text, w := range texts {
		all = append(all, Reading{text, w})
	}
	slices.SortFunc(all, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Text, b.Text))
	})
	return all
}

// logSums returns the logSum of each row. All processors add: for one, that is an eighth of what
// a reading takes.
func logSums(rows [][]float32) []float64 {
	sums := make([]float64, len(rows))
	var all sync.WaitGroup
	for i, row := range rows {
		all.Go(func() { sums[i] = logSum(row) })
	}
	all.Wait()
	return sums
}

// logSum is the logarithm of the sum of the exponentials. A score far below the highest
// adds nothing that counts.
func logSum(scores []float32) float64 {
	const far = 16
	top := highest(scores)
	sum := 0.0
	for _, score := range scores {
		if score > top-far {
			sum += math.Exp(float64(score - top))
		}
	}
	return float64(top) + math.Log(sum)
}

// highest returns the highest score. slices.Max, which also looks for a NaN, takes three times as
// long, and each step of a search has several hundred thousand scores.
func highest(scores []float32) float32 {
	top := scores[0]
	for _, score := range scores {
		if score > top {
			top = score
		}
	}
	return top
}

// logAdd adds two probabilities given by their logarithms.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
