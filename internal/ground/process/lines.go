package process

import "bytes"

// Lines passes on what is written to it line by line, without the line ends.
type Lines struct {
	Limit int               // bytes kept of a line
	Take  func(line []byte) // must not keep the line
	begun []byte            // the beginning of a line whose end has not come
	open  bool              // such a line has begun
}

// Write never returns an error.
func (l *Lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.begun, l.open = append(l.begun, part[:min(len(part), l.Limit-len(l.begun))]...), true
		if whole {
			l.Flush()
		}
		p = rest
	}
	return n, nil
}

// Flush passes on the last line, which may have no line end.
func (l *Lines) Flush() {
	if l.open {
		l.Take(l.begun)
	}
	l.begun, l.open = l.begun[:0], false
}
