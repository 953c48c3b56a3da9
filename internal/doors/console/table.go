package console

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// gap lies between two columns, and margin before the first.
const (
	gap    = 2
	margin = 2
)

// narrowest is how narrow a column is made, where that lets a table fit.
const narrowest = 12

// Table prints rows in columns that are only as wide as their widest cell. On a terminal
// the widest columns are cut, so that a row stays on its line.
func Table(w io.Writer, p Paint, head []string, rows [][]string) {
	width := make([]int, len(head))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
	}
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	fit(width, columns(w))
	line := func(row []string, style func(string) string) {
		var b strings.Builder
		for i, cell := range row {
			cell = cut(cell, width[i])
			b.WriteString(cell + strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell))+gap))
		}
		fmt.Fprintln(w, "  "+style(strings.TrimRight(b.String(), " ")))
	}
	line(head, p.Bold)
	for _, row := range rows {
		line(row, func(s string) string { return s })
	}
}

// columns returns the width of a terminal in characters, or 0 if w is no terminal.
func columns(w io.Writer) int {
	s, ok := w.(*Screen)
	if !ok {
		return 0
	}
	f, ok := s.to.(*os.File)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// fit makes the widest columns narrower until a row fits into most characters, 0 for any
// number.
func fit(width []int, most int) {
	whole := margin - gap
	for _, n := range width {
		whole += n + gap
	}
	for most > 0 && whole > most {
		widest := slices.Index(width, slices.Max(width))
		if width[widest] <= narrowest {
			return
		}
		width[widest]--
		whole--
	}
}

// cut shortens a cell that is wider than its column, and shows that it did. A cell with
// colours stays whole.
func cut(cell string, width int) string {
	runes := []rune(cell)
	if len(runes) <= width || strings.ContainsRune(cell, '\x1b') {
		return cell
	}
	return string(runes[:width-1]) + "…"
}
