// Package language is the room of words: how texts are compared (text, edits), the words
// of each language as files (sentences), numbers and templates in them, and what a
// recogniser and the rest of the program say to each other (speech). It exists so that a
// language is data: nothing above this room has a word of a natural language in its code.
// To add a language, add its files to sentences. Everything here is pure, and stands
// below everything else.
package language
