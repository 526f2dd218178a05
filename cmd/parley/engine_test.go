package main

import (
	"iter"
	"path/filepath"

	"parley/eval/run"
)

// tableNames are the tables of a run of sessions.
var tableNames = []string{"messages", "calls", "scores", "events", "sessions"}

// rows reads a table of a run.
func rows[T any](dir, table string) iter.Seq2[T, error] { return run.Rows[T]{Name: table}.Read(dir) }

// verifyRun checks a run of any kind.
func verifyRun(dir string) (*run.Findings, error) { return run.Verify(dir, kinds) }

func journalPath(dir, table string) string { return filepath.Join(dir, table+".jsonl") }
func parquetPath(dir, table string) string { return filepath.Join(dir, table+".parquet") }
