package endpoint

import (
	"math"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// The level gate keeps a television or a conversation behind the speaker from
// becoming words of the command: a grammar takes everything for its own. Who has
// just said the wake word says the command about as loud, so what is far below
// that loudness is somebody else. It costs accuracy in plain noise, so it is used
// only when somebody was heard before the wake word. Where its constants were
// measured (docs/facts/engines.md, Background speech), a third of the commands
// were right without it and nine tenths with it (background at -20 dB), a sixth
// and more than half (at -10 dB).
const (
	wordFor   = time.Second             // before the detection, which comes 100 to 200 ms late, is the wake word
	wordAfter = 1200 * time.Millisecond // what is older than this was there before it
	beforeFor = 2800 * time.Millisecond // of sound before the word is asked
	leastTold = 30                      // frames of it; less tells nothing
	voiceNeed = 0.3                     // share of them that is speech
	// Speech swings by its syllables and pauses, and noise does not: without a
	// model, sound whose loud tenth is this much over its quiet tenth is speech.
	swingNeed = 12.0 // dB

	// Somebody else may begin after the command. He is told from the speaker, whose
	// last words are often soft, by how much voice there was since anything was as
	// loud as the command and since the text became a sentence. While the text
	// grows it may be the speaker who makes it grow, and much more is asked for.
	farLater    = 280 * time.Millisecond
	farGrowing  = 400 * time.Millisecond
	nearLater   = 320 * time.Millisecond
	nearGrowing = 820 * time.Millisecond
	known       = 300 * time.Millisecond // of the command, after which its loudness is

	leastGap = 6.0  // dB; who is nearly as loud as the speaker cannot be told from him
	farGap   = 15.0 // dB: between the measured settings for 10 and 20

	farOpens  = 12.0 // dB below the wake word: two of three frames above open
	nearOpens = 4.0  // dB below the wake word: the mean of 100 ms above opens
	nearPeaks = 6.0  // dB below the wake word: single frames above are not quiet

	shutGain  = 0.05 // -26 dB
	mostDelay = 8    // frames
	meanOf    = 5    // frames, 100 ms
	slabOf    = 50   // frames that share one block of memory
)

// gate is open, and lets all sound through at once, while somebody speaks as loud
// as the wake word; shut, it holds the newest frames back, because the first
// sound of a word is soft, and turns down what is older.
type gate struct {
	worded    bool // there was a wake word: it may be used
	on        bool
	near      bool    // background is within 15 dB
	reference float64 // dBFS, loudness of the speaker
	delay     int     // frames held back
	hang      int     // frames it stays open
	closeness
	backlog
}

// closeness is how near the last frames came to the reference.
type closeness struct {
	levels    [meanOf]float64
	frames    int           // since the gate was set
	at        time.Time     // of the last one
	above     bool          // it is the speaker's
	sinceFar  time.Duration // two of three frames were that loud
	sinceNear time.Duration // the mean was that loud
}

// backlog is the sound between the microphone and the recogniser.
type backlog struct {
	left    int // frames until the gate shuts
	held    [mostDelay]audio.Frame
	holding int
	slab    []int16 // where turned down sound is written
	out     [mostDelay + 1]audio.Frame
}

// set measures the wake word and what was before it.
func (g *gate) set(p *past, d speech.Detection) {
	*g = gate{worded: d.Word != "" && !d.At.IsZero(), backlog: backlog{slab: g.slab}}
	for i := range g.levels {
		g.levels[i] = audio.Silence
	}
	if !g.worded {
		return
	}
	word := loudest(p, d.At.Add(-wordFor), d.At, func(heard) bool { return true })
	from, to := d.At.Add(-wordAfter-beforeFor), d.At.Add(-wordAfter)
	if !somebody(p, from, to) {
		return
	}
	gap := word - loudest(p, from, to, func(h heard) bool { return h.voice || !h.judged })
	if word <= audio.Silence || gap < leastGap {
		return
	}
	g.use(word, gap < farGap)
}

// use sets the gate up.
func (g *gate) use(reference float64, near bool) {
	g.on, g.reference, g.near = true, reference, near
	g.delay, g.hang = 6, 9 // 120 and 180 ms
	if near {
		g.delay, g.hang = mostDelay, mostDelay // 160 ms
	}
}

// loudest is the 80th percentile of the frames within 20 dB of the loudest.
func loudest(p *past, from, to time.Time, counts func(heard) bool) float64 {
	most := audio.Silence
	p.between(from, to, func(h heard) {
		if counts(h) {
			most = max(most, h.level)
		}
	})
	var l loudness
	p.between(from, to, func(h heard) {
		if counts(h) && h.level > most-depths[quiet20] {
			l.push(h.level)
		}
	})
	return l.level()
}

// somebody says whether there was speech.
func somebody(p *past, from, to time.Time) bool {
	var levels [pastFrames]float64
	n, voices, judged := 0, 0, 0
	p.between(from, to, func(h heard) {
		levels[n] = h.level
		n++
		if h.judged {
			judged++
		}
		if h.voice {
			voices++
		}
	})
	if n < leastTold {
		return false
	}
	if judged > n/2 {
		return float64(voices) >= voiceNeed*float64(n)
	}
	slices.Sort(levels[:n])
	return levels[n*9/10]-levels[n/10] >= swingNeed
}

// hear takes the next frame's level.
func (g *gate) hear(at time.Time, level float64, length time.Duration) {
	g.at = at
	g.levels[g.frames%meanOf] = level
	g.frames++
	far := level > g.reference-farOpens && g.aboveOf(3) >= 2
	near := g.meanLevel() > g.reference-nearOpens
	g.sinceFar += length
	g.sinceNear += length
	if far {
		g.sinceFar = 0
	}
	if near {
		g.sinceNear = 0
	}
	g.left = max(0, g.left-1)
	opens := far || g.delay == 0 && level > g.reference-farOpens
	g.above = level > g.reference-farOpens
	if g.near {
		opens = near
		g.above = near || level > g.reference-nearPeaks
	}
	if opens {
		g.left = g.hang
	}
}

// later turns the gate on when somebody else goes on speaking after the command,
// and returns for how long, 0 when not.
func (e *Endpointer) later(h heard, length time.Duration) time.Duration {
	g, u := &e.gate, &e.u
	if !g.worded || g.on && (g.near || g.delay > 0) || u.spoken == 0 || u.loud < known {
		return 0
	}
	u.others.since(g)
	if h.judged && !h.voice || h.level <= max(e.stands(), g.reference-endBelow) {
		return 0
	}
	far, near := u.others.speak(length)
	since := g.sinceFar
	switch {
	case !g.on && far:
		g.use(g.reference, false)
	case near:
		since = g.sinceNear
		g.use(g.reference, true)
	default:
		return 0
	}
	g.delay = 0 // the recogniser is waited for
	return since
}

// since begins anew where the speaker is heard.
func (o *others) since(g *gate) {
	if g.sinceFar == 0 {
		o.far = 0
	}
	if g.sinceNear == 0 {
		o.near = 0
	}
}

// speak takes more of a voice, and says whether it must be somebody else's.
func (o *others) speak(length time.Duration) (far, near bool) {
	o.far, o.near, o.calm = o.far+length, o.near+length, o.calm+length
	return o.far >= farGrowing || min(o.far, o.calm) >= farLater, o.near >= nearGrowing || min(o.near, o.calm) >= nearLater
}

func (g *gate) aboveOf(last int) (count int) {
	for i := range last {
		if g.levels[(g.frames-1-i+meanOf)%meanOf] > g.reference-farOpens {
			count++
		}
	}
	return count
}

func (g *gate) meanLevel() float64 {
	var sum float64
	for _, l := range g.levels {
		sum += math.Pow(10, l/10)
	}
	return 10 * math.Log10(sum/meanOf)
}

// pass returns the frames the recogniser may have after the next one.
func (g *gate) pass(f audio.Frame) []audio.Frame {
	out := g.out[:0]
	if g.left > 0 {
		out = append(out, g.held[:g.holding]...)
		g.holding = 0
		return append(out, f)
	}
	if g.delay == 0 {
		return append(out, g.soften(f))
	}
	if g.holding == g.delay {
		out = append(out, g.soften(g.held[0]))
		copy(g.held[:], g.held[1:g.holding])
		g.holding--
	}
	g.held[g.holding] = f
	g.holding++
	return out
}

// soften turns a frame down. Whoever gets it may keep it, so it has memory of its
// own, of which there is new only once a second.
func (g *gate) soften(f audio.Frame) audio.Frame {
	if len(g.slab) < len(f.Samples) {
		g.slab = make([]int16, max(slabOf*audio.FrameSamples, len(f.Samples)))
	}
	soft := g.slab[:len(f.Samples):len(f.Samples)]
	g.slab = g.slab[len(f.Samples):]
	for i, v := range f.Samples {
		soft[i] = int16(math.Round(shutGain * float64(v)))
	}
	f.Samples = soft
	return f
}
