// Command learn computes the weights of the reader, internal/intent/reader/*.weights, from
// sentences that people said, which stay out of the repository. It runs from the root of
// the repository, takes a minute and writes the same bytes each time.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

func main() {
	crowd := flag.String("crowd", "", "the `FILE` of labelled sentences, an object of JSON a line: text, label, source")
	without := flag.String("without", "", "a `SOURCE` that is not learned from, nor what others have in common with it: slurp-devel")
	to := flag.String("to", "internal/intent/reader", "the `DIRECTORY` for the weights")
	flag.Parse()
	if err := run(*crowd, *without, *to); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

// run learns English, the language of the crowd.
func run(crowd, without, to string) error {
	const language = "en"
	began := time.Now()
	file, err := os.Open(crowd)
	if err != nil {
		return fmt.Errorf("reading the crowd's sentences: %w", err)
	}
	defer func() { _ = file.Close() }()
	said, err := learn.Crowd(file)
	if err != nil {
		return err
	}
	pack, err := intent.Ours(language)
	if err != nil {
		return err
	}
	data, examples := learn.Reader(pack, said, without)
	path := filepath.Join(to, language+".weights")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("writing the weights: %w", err)
	}
	fmt.Printf("%s: %d bytes, from %d sentences in %v\n", path, len(data), examples, time.Since(began).Round(time.Second))
	m, err := reader.Read(language, data)
	if err != nil {
		return err
	}
	for _, k := range reader.Kinds()[1:] {
		fmt.Printf("  %-12s sure %.2f, nearly %.2f\n", k, m.Marks(k).Sure, m.Marks(k).Nearly)
	}
	return nil
}
