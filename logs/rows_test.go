package logs_test

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"parley/logs"
)

// The rows of these tests are shaped like what is kept in earnest: flat, with named string types,
// lists of texts and of structs, optional numbers and structs, and times.

type kind string

type event struct {
	Session  string    `json:"session" parquet:"session,dict"`
	Seq      int       `json:"seq" parquet:"seq"`
	Turn     int       `json:"turn" parquet:"turn"`
	Time     time.Time `json:"time" parquet:"time,timestamp(microsecond)"`
	Kind     kind      `json:"kind" parquet:"kind,dict"`
	Actor    string    `json:"actor" parquet:"actor,dict"`
	Audience []kind    `json:"audience" parquet:"audience,list"`
	Speech   string    `json:"speech" parquet:"speech"`
	Deed     string    `json:"deed" parquet:"deed"`
	Facts    []int     `json:"facts" parquet:"facts,list"`
	Roll     *roll     `json:"roll" parquet:"roll,optional"`
	Calls    []string  `json:"calls" parquet:"calls,list"`
	Last     bool      `json:"last" parquet:"last"`
}

type roll struct {
	Skill string `json:"skill" parquet:"skill,dict"`
	Dice  []int  `json:"dice" parquet:"dice,list"`
	DC    *int   `json:"dc" parquet:"dc,optional"`
	Total int    `json:"total" parquet:"total"`
}

type call struct {
	Session string    `json:"session" parquet:"session,dict"`
	ID      string    `json:"id" parquet:"id"`
	Prompt  []string  `json:"prompt" parquet:"prompt,list"`
	Reply   string    `json:"reply" parquet:"reply"`
	Seed    int64     `json:"seed" parquet:"seed"`
	Tokens  *int      `json:"prompt_tokens" parquet:"prompt_tokens,optional"`
	Started time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Text    []string  `json:"-" parquet:"-"` // not kept
}

type score struct {
	Session  string     `json:"session" parquet:"session,dict"`
	Value    *float64   `json:"value" parquet:"value,optional"`
	Status   kind       `json:"status" parquet:"status,dict"`
	Evidence []evidence `json:"evidence" parquet:"evidence,list"`
	Calls    []string   `json:"calls" parquet:"calls,list"`
}

type evidence struct {
	Want   string  `json:"want" parquet:"want"`
	Got    string  `json:"got" parquet:"got"`
	Weight float64 `json:"weight" parquet:"weight"`
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 891_000_000, time.UTC)

func ptr[T any](v T) *T { return &v }

const words = "the old lantern sways above a quiet table while Zoë asks \"where is the key?\" and nobody — not even d'Arc — answers her at once "

// anEvent is the nth event of a session, about 430 bytes of JSON like a real one.
func anEvent(session string, n int) event {
	e := event{
		Session: session, Seq: n, Turn: n / 2, Time: start.Add(time.Duration(n) * time.Millisecond), Kind: "act",
		Actor: fmt.Sprintf("player-%d", n%4), Speech: words[n%40:], Deed: words[:n%60+20],
		Calls: []string{fmt.Sprintf("%s/%d/player/act/0", session, n)}, Last: n%2 == 1,
	}
	switch n % 5 {
	case 0:
		e.Audience = []kind{"player-1", "npc"}
	case 1:
		e.Roll = &roll{Skill: "insight", Dice: []int{n%20 + 1, 7}, DC: ptr(12), Total: n}
	case 2:
		e.Roll = &roll{Total: -1}
		e.Facts = []int{0, n}
	}
	e.Speech, e.Deed = strings.ToValidUTF8(e.Speech, ""), strings.ToValidUTF8(e.Deed, "")
	return e
}

func aCall(session string, n int) call {
	c := call{
		Session: session, ID: fmt.Sprintf("%s/%d", session, n), Prompt: []string{"ab12", "cd34"}, Reply: words,
		Seed: -1 << 60, Started: start.Add(time.Duration(n) * time.Second),
	}
	if n%2 == 0 {
		c.Tokens = ptr(n)
	}
	if n%7 == 0 {
		c.Prompt, c.Started = nil, time.Time{}
	}
	return c
}

func aScore(session string, n int) score {
	s := score{Session: session, Status: "failed"}
	if n%3 > 0 {
		s.Value, s.Status = ptr(float64(n)/3), "scored"
		s.Evidence = []evidence{{"a key", "", 0.5}, {"läßt — sich", "\"ja\"\n", 1e-9}}[:n%3]
	}
	return s
}

// many yields n rows.
func many[T any](n int, row func(session string, n int) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for i := range n {
			if !yield(row(fmt.Sprintf("s%03d", i/60), i), nil) {
				return
			}
		}
	}
}

func all[T any](t testing.TB, rows iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

func of[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func bySeq(a, b *event) int {
	return cmp.Or(strings.Compare(a.Session, b.Session), a.Seq-b.Seq)
}

func shuffled(list []event, seed uint64) []event {
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// keep writes rows to a stream of a new journal that is closed again.
func keep[T any](t testing.TB, dir, stream string, rows ...T) {
	t.Helper()
	j, err := logs.Open(dir, []string{stream}, logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := j.Batch()
	logs.Add(b, stream, rows...)
	if err := j.Append(b); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
