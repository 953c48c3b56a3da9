package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows in columns that are only as wide as their widest cell.
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
	line := func(row []string, style func(string) string) {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
		}
		fmt.Fprintln(w, "  "+style(strings.TrimRight(b.String(), " ")))
	}
	line(head, p.Bold)
	for _, row := range rows {
		line(row, func(s string) string { return s })
	}
}
