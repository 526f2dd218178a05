package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"parley/eval"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// The streams of a run, in the order in which a turn's rows become durable: what is referred to
// stands on disk before what refers to it. A session's row comes last: it says that the session is
// done.
const (
	streamMessages = "messages"
	streamCalls    = "calls"
	streamScores   = "scores"
	streamEvents   = "events"
	streamSessions = "sessions"
)

var streams = []string{streamMessages, streamCalls, streamScores, streamEvents, streamSessions}

// messageRow is a distinct message of the prompts.
type messageRow struct {
	Hash    string   `json:"hash" parquet:"hash"`
	Role    llm.Role `json:"role" parquet:"role,dict"`
	Content string   `json:"content" parquet:"content"`
}

// State says how far a session, or a run, came.
type State string

const (
	stateRunning     State = "running"
	stateInterrupted State = "interrupted"
	stateComplete    State = "complete"
	stateFailed      State = "failed"
)

// sessionRow is a session that is done: complete, or failed and to be taken up again.
type sessionRow struct {
	ID        string    `json:"id" parquet:"id"`
	Index     int       `json:"index" parquet:"index"` // the same in every arm for the same situation
	Arm       string    `json:"arm" parquet:"arm,dict"`
	Seed      string    `json:"seed" parquet:"seed"` // decimal; 64 bits, which readers of JSON would round
	Kind      string    `json:"kind" parquet:"kind,dict"`
	Title     string    `json:"title" parquet:"title,dict"`
	State     State     `json:"state" parquet:"state,dict"`
	Ended     string    `json:"ended" parquet:"ended,dict"` // why the play ended
	Error     string    `json:"error" parquet:"error"`
	Cast      []seatRow `json:"cast" parquet:"cast,list"`
	Turns     int       `json:"turns" parquet:"turns"`   // played
	Moves     int       `json:"moves" parquet:"moves"`   // of them by players
	Valid     int       `json:"valid" parquet:"valid"`   // of these without a fault
	Passes    int       `json:"passes" parquet:"passes"` // of these that did nothing
	Calls     int       `json:"calls" parquet:"calls"`   // of models, the judge's too
	Tokens    int       `json:"tokens" parquet:"tokens"` // as far as servers said
	Questions []string  `json:"questions" parquet:"questions,list"`
	Scenario  string    `json:"scenario" parquet:"scenario"` // the whole situation, JSON
	Started   time.Time `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished  time.Time `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// seatRow is who sat at the table.
type seatRow struct {
	ID    string `json:"id" parquet:"id"`
	Name  string `json:"name" parquet:"name"`
	Role  string `json:"role" parquet:"role"` // player | npc
	Model string `json:"model" parquet:"model"`
}

// npc returns the id of the NPC.
func (row *sessionRow) npc() string {
	for _, seat := range row.Cast {
		if seat.Role == "npc" {
			return seat.ID
		}
	}
	return ""
}

func journalPath(dir, stream string) string { return filepath.Join(dir, stream+".jsonl") }
func parquetPath(dir, stream string) string { return filepath.Join(dir, stream+".parquet") }

// rows reads a stream of a run from wherever it stands: Parquet once the run is complete, else the
// journal. A torn last line of a journal is no row; a stream that is not there has none.
func rows[T any](dir, stream string) iter.Seq2[T, error] {
	if path := parquetPath(dir, stream); exists(path) {
		return logs.ReadParquet[T](path)
	}
	return journalRows[T](dir, stream)
}

// journalRows reads a stream's journal.
func journalRows[T any](dir, stream string) iter.Seq2[T, error] {
	path := journalPath(dir, stream)
	return func(yield func(T, error) bool) {
		if !exists(path) {
			return
		}
		for row, err := range logs.Read[T](path) {
			if logs.IsTorn(err) {
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// How a play keeps its streams. Rows of one session stay in the order in which they came.
var (
	messageStream = stream[messageRow]{called: streamMessages, compare: byMessage, keep: logs.KeepFirst}
	callStream    = stream[llm.Call]{called: streamCalls, compare: byCall, timeless: timelessCall}
	scoreStream   = stream[eval.Score]{called: streamScores, compare: byScore}
	eventStream   = stream[sim.Event]{called: streamEvents, compare: byEvent, timeless: timelessEvent}
	sessionStream = stream[sessionRow]{called: streamSessions, compare: bySession, keep: logs.KeepLast, timeless: timelessSession}

	playStreams = []keeper{messageStream, callStream, scoreStream, eventStream, sessionStream}
)

func bySession(a, b *sessionRow) int { return cmp.Compare(a.ID, b.ID) }
func byEvent(a, b *sim.Event) int    { return cmp.Or(cmp.Compare(a.Session, b.Session), a.Seq-b.Seq) }
func byCall(a, b *llm.Call) int      { return cmp.Compare(a.Session, b.Session) }
func byScore(a, b *eval.Score) int   { return cmp.Compare(a.Session, b.Session) }
func byMessage(a, b *messageRow) int { return cmp.Compare(a.Hash, b.Hash) }

// What differs between two runs that are the same otherwise: when things happened and how long they
// took.
func timelessSession(s *sessionRow) { s.Started, s.Finished = time.Time{}, time.Time{} }
func timelessEvent(e *sim.Event)    { e.Time = time.Time{} }
func timelessCall(c *llm.Call) {
	c.Started = time.Time{}
	c.Queue, c.Load, c.Read, c.Write, c.Total = 0, 0, 0, 0, 0
}

// streamState is what a manifest says of a complete stream.
type streamState struct {
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"` // SHA-256 of the canonical JSON lines of the rows, in order
}

// compact turns the journal of a finished run into Parquet, one file a stream, each proven equal to
// its journal. The journals stay.
func compact(dir string) (map[string]streamState, error) {
	return compactJobs(dir, playStreams)
}

// expand makes journals anew of their Parquet where a run cannot be taken up from them as they are.
// Nothing is changed before all are known to be good or to have good Parquet.
func expand(dir string, m *manifest, talk io.Writer) error {
	var lacking []keeper
	for _, k := range playStreams {
		lacks, err := k.lacks(dir, m)
		if err != nil {
			return err
		}
		if lacks {
			lacking = append(lacking, k)
		}
	}
	for _, k := range lacking {
		if journal := journalPath(dir, k.name()); exists(journal) {
			fmt.Fprintf(talk, "%s is not what the run wrote: it is made anew of %s, which is\n", journal, parquetPath(dir, k.name()))
		}
		if err := k.expand(dir); err != nil {
			return err
		}
	}
	return nil
}

// sessionID names the i-th session of an arm, both from 0. IDs sort in the order of arms and sessions.
func sessionID(arm, i int) string { return fmt.Sprintf("a%02d-%07d", arm+1, i+1) }

// clean makes sure that no row of a run holds a key: what looks like one in an error text goes.
func clean(text string) string {
	return keys.Redact(text)
}
