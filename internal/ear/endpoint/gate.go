package endpoint

import (
	"math"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// The level gate keeps the words of a television or of a conversation in the background
// out of the command, because a grammar finds one of its sentences in any sound. A
// speaker who has just said the wake word says the command about as loudly, so sound far
// below that loudness comes from elsewhere. The gate costs accuracy in plain noise, so it
// is used only if there was speech before the wake word. Where its constants were
// measured (docs/facts/engines.md, Background speech), it raised the share of commands
// that were right from a third to nine tenths with the background at -20 dB, and from a
// sixth to more than half at -10 dB.
const (
	wordFor   = time.Second             // sound this long before the detection is the wake word; the detection comes 100 to 200 ms late
	wordAfter = 1200 * time.Millisecond // sound older than this, before the detection, was there before the wake word
	beforeFor = 2800 * time.Millisecond // how much of that older sound is judged
	leastTold = 30                      // frames of it that are needed for a judgement
	voiceNeed = 0.3                     // share of these frames that has to be speech
	// swingNeed tells speech from noise where there is no model. Speech swings with
	// its syllables and pauses: sound whose loud tenth is this much over its quiet
	// tenth is speech.
	swingNeed = 12.0 // dB

	// Another person may begin to speak after the command. Loudness alone does not tell that
	// person from the speaker, whose last words are often soft. The difference is how long
	// there has been a voice since anything was as loud as the command and since the text
	// became a sentence. While the text still grows, the speaker may be the one who makes it
	// grow, so much more time is required.
	farLater    = 280 * time.Millisecond
	farGrowing  = 400 * time.Millisecond
	nearLater   = 320 * time.Millisecond
	nearGrowing = 820 * time.Millisecond
	known       = 300 * time.Millisecond // length of the command after which its loudness is known

	leastGap = 6.0  // dB; a voice nearly as loud as the speaker's cannot be told from it
	farGap   = 15.0 // dB: between the measured settings for 10 and 20

	farOpens  = 12.0 // dB below the wake word: two of three frames above open
	nearOpens = 4.0  // dB below the wake word: the mean of 100 ms above opens
	nearPeaks = 6.0  // dB below the wake word: single frames above are not quiet

	shutGain  = 0.05 // -26 dB
	mostDelay = 8    // frames
	meanOf    = 5    // frames, 100 ms
	slabOf    = 50   // frames that share one block of memory
)

// gate passes all sound on at once while it is open, which is while the sound is as loud
// as the wake word was. While it is shut, it holds the newest frames back, because the
// first sound of a word is soft, and turns older frames down.
type gate struct {
	worded    bool // there was a wake word, so the gate may be used
	on        bool
	near      bool    // background is within 15 dB
	reference float64 // dBFS, loudness of the speaker
	delay     int     // frames held back
	hang      int     // frames for which it stays open
	closeness
	backlog
}

// closeness is how near the last frames came to the reference.
type closeness struct {
	levels    [meanOf]float64
	frames    int           // since the gate was set
	at        time.Time     // time of the last frame
	above     bool          // the last frame is the speaker's
	sinceFar  time.Duration // since two of three frames were within farOpens
	sinceNear time.Duration // since the mean was within nearOpens
}

// backlog is the sound between the microphone and the recogniser.
type backlog struct {
	left    int // frames until the gate shuts
	held    [mostDelay]audio.Frame
	holding int
	slab    []int16 // where turned down sound is written
	out     [mostDelay + 1]audio.Frame
}

// set measures the wake word and the sound before it, and turns the gate on if there was
// speech before it.
func (g *gate) set(p *past, d speech.Detection) {
	*g = gate{worded: d.Word != "" && !d.At.IsZero(), backlog: backlog{slab: g.slab}}
	for i := range g.levels {
		g.levels[i] = audio.Silence
	}
	if !g.worded {
		return
	}
	word := loudest(p, d.At.Add(-wordFor), d.At, func(measurement) bool { return true })
	from, to := d.At.Add(-wordAfter-beforeFor), d.At.Add(-wordAfter)
	if !somebody(p, from, to) {
		return
	}
	gap := word - loudest(p, from, to, func(h measurement) bool { return h.voice || !h.judged })
	if word <= audio.Silence || gap < leastGap {
		return
	}
	g.use(word, gap < farGap)
}

// use turns the gate on for a speaker of this loudness in dBFS.
func (g *gate) use(reference float64, near bool) {
	g.on, g.reference, g.near = true, reference, near
	g.delay, g.hang = 6, 9 // 120 and 180 ms
	if near {
		g.delay, g.hang = mostDelay, mostDelay // 160 ms
	}
}

// loudest returns the 80th percentile of the frames that are within 20 dB of the
// loudest one.
func loudest(p *past, from, to time.Time, counts func(measurement) bool) float64 {
	most := audio.Silence
	p.between(from, to, func(h measurement) {
		if counts(h) {
			most = max(most, h.level)
		}
	})
	var l loudness
	p.between(from, to, func(h measurement) {
		if counts(h) && h.level > most-depths[quiet20] {
			l.push(h.level)
		}
	})
	return l.level()
}

// somebody reports whether there was speech between two times.
func somebody(p *past, from, to time.Time) bool {
	var levels [pastFrames]float64
	n, voices, judged := 0, 0, 0
	p.between(from, to, func(h measurement) {
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
	withinFar := level > g.reference-farOpens && g.aboveOf(3) >= 2
	withinNear := g.meanLevel() > g.reference-nearOpens
	g.sinceFar += length
	g.sinceNear += length
	if withinFar {
		g.sinceFar = 0
	}
	if withinNear {
		g.sinceNear = 0
	}
	g.left = max(0, g.left-1)
	opens := withinFar || g.delay == 0 && level > g.reference-farOpens
	g.above = level > g.reference-farOpens
	if g.near {
		opens = withinNear
		g.above = withinNear || level > g.reference-nearPeaks
	}
	if opens {
		g.left = g.hang
	}
}

// later turns the gate on when another person keeps speaking after the command. It
// returns for how long that has been so, or 0 if it is not.
func (e *Endpointer) later(h measurement, length time.Duration) time.Duration {
	g, u := &e.gate, &e.u
	if !g.worded || g.on && (g.near || g.delay > 0) || u.spoken == 0 || u.loud < known {
		return 0
	}
	u.others.since(g)
	if h.judged && !h.voice || h.level <= max(e.stands(), g.reference-depths[quiet30]) {
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
	g.delay = 0 // holding frames back would delay the recogniser, which is waited for
	return since
}

// since starts the clocks again where the speaker is heard.
func (o *others) since(g *gate) {
	if g.sinceFar == 0 {
		o.voiceSinceFar = 0
	}
	if g.sinceNear == 0 {
		o.voiceSinceNear = 0
	}
}

// speak counts a frame with a voice. far and near report whether the voice must be
// another person's, judged by 12 dB and by 4 dB below the speaker's loudness.
func (o *others) speak(length time.Duration) (far, near bool) {
	o.voiceSinceFar += length
	o.voiceSinceNear += length
	o.voiceSinceSentence += length
	far = o.voiceSinceFar >= farGrowing || min(o.voiceSinceFar, o.voiceSinceSentence) >= farLater
	near = o.voiceSinceNear >= nearGrowing || min(o.voiceSinceNear, o.voiceSinceSentence) >= nearLater
	return far, near
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

// pass takes the next frame and returns the frames the recogniser may have.
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

// soften turns a frame down. The receiver may keep the frame, so the frame gets
// memory of its own, which is allocated only once a second.
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
