package formats_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/finetune"
	"parley/finetune/formats"
)

// large writes a file of about so many bytes, of rows like those of a dataset.
func large(b *testing.B, format string, bytes int64) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "train.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if format == "azure-sft" {
		bytes -= 3
		w.WriteString("\ufeff")
	}
	talk := strings.Repeat("Valna: I climb the wall and look into the window. ", 20)
	for n, size := 0, int64(0); size < bytes; n++ {
		row := strings.Replace(good(format, n), "question", talk, 1)
		m, _ := w.WriteString(row)
		w.WriteByte('\n')
		size += int64(m) + 1
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkValidate reads 200 MB in every format. Its memory is that of the hashes, and a row's.
func BenchmarkValidate(b *testing.B) {
	for _, name := range formats.Names() {
		b.Run(name, func(b *testing.B) {
			path := large(b, name, 200_000_000)
			f := format(b, name)
			b.SetBytes(200_000_000)
			b.ReportAllocs()
			for b.Loop() {
				sum, err := f.Validate(context.Background(), []string{path}, formats.ValidateOptions{}, func(formats.Finding) error { return nil })
				if err != nil || sum.Errors > 0 || sum.Rows < 100_000 {
					b.Fatal(sum, err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	x := conversation()
	x.Prompt[1].Content = strings.Repeat("Valna: I climb the wall and look into the window. ", 20)
	for _, name := range []string{"openai-sft", "trl-sft", "alpaca"} {
		b.Run(name, func(b *testing.B) {
			const n = 20_000
			dir := b.TempDir()
			size := int64(0)
			for b.Loop() {
				files, err := format(b, name).Write(dir, in(map[finetune.Split][]finetune.Example{finetune.Train: many(x, n)}), formats.WriteOptions{})
				if err != nil {
					b.Fatal(err)
				}
				size = files[0].Bytes
			}
			b.SetBytes(size)
		})
	}
}

func many(x finetune.Example, n int) []finetune.Example {
	out := make([]finetune.Example, n)
	for i := range out {
		out[i] = x
		out[i].ID = fmt.Sprint(i)
	}
	return out
}

// FuzzValidate shows that no bytes make a validator panic, stop or miscount.
func FuzzValidate(f *testing.F) {
	for i, name := range formats.Names() {
		f.Add(uint8(i), []byte(goods(name, 2)))
	}
	for i, table := range [][]rule{lineRules, openaiRules, preferenceRules, trlRules, axolotlRules, llamaRules, instructionRules, mlxRules, unslothRules} {
		for _, r := range table {
			if r.rows != "" {
				f.Add(uint8(i), []byte(r.rows))
			}
		}
	}
	f.Add(uint8(0), []byte(strings.Repeat("[", 2000)))
	f.Add(uint8(6), []byte(`{"d":{"file_name":"data.jsonl","columns":{}}}`))
	f.Fuzz(func(t *testing.T, which uint8, raw []byte) {
		names := formats.Names()
		f := format(t, names[int(which)%len(names)])
		dir := t.TempDir()
		var paths []string
		for _, name := range []string{"data.jsonl", "data.json", "config.yaml", "sub/dataset_info.json"} {
			if strings.Contains(name, "/") && f.Name != "llama-factory" || strings.HasSuffix(name, ".yaml") && f.Name != "axolotl" {
				continue
			}
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, raw, 0o644); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		found, lines := 0, int64(strings.Count(string(raw), "\n")+1)
		sum, err := f.Validate(context.Background(), paths, formats.ValidateOptions{MaxTokens: int(which), MaxLine: 1 << 16}, func(x formats.Finding) error {
			found++
			if x.Line < 0 || x.Line > lines || strings.Contains(x.Message, "%!") || strings.ContainsAny(x.Message, "\n\x00\x1b") {
				t.Errorf("a finding is not right: %+v", x)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Errors+sum.Warnings != int64(found) {
			t.Errorf("%d and %d were counted of %d findings", sum.Errors, sum.Warnings, found)
		}
	})
}
