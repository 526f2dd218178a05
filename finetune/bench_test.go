package finetune_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"parley/finetune"
)

// words are a vocabulary with about the lengths of English words.
var words = func() (list []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		n := 1 + r.IntN(4) + r.IntN(5)
		list = append(list, strings.Repeat("ea", n)[:n-1]+string(rune('a'+r.IntN(26)))+strconv.FormatInt(int64(r.IntN(36*36)), 36)[:1])
	}
	return list
}()

// windows are n examples of about 1,900 bytes, 25 a session, as long as the windows of real people's
// play; one in fifty is nearly the one before it and one in a hundred just the same.
func windows(n int) iter.Seq2[finetune.Example, error] {
	return func(yield func(finetune.Example, error) bool) {
		r := rand.New(rand.NewPCG(3, 4))
		body := ""
		for i := range n {
			switch {
			case i%100 == 99:
			case i%50 == 49:
				body += " and so on"
			default:
				var out strings.Builder
				for range 260 {
					u := r.Float64()
					out.WriteString(words[int(u*u*u*20000)])
					out.WriteByte(' ')
				}
				body = out.String()
			}
			x := finetune.Example{
				ID: strconv.Itoa(i), Task: finetune.DM, Group: "session " + strconv.Itoa(i/25), Body: body,
				Prompt:     []finetune.Message{{Role: finetune.User, Content: "Who of Orla, Brann and Ysolde tries which skill?\n" + body}},
				Completion: []finetune.Message{{Role: finetune.Assistant, Content: `[{"character":"Orla","skill":"` + words[i%18] + `"}]`}},
				Labels:     []string{words[i%18]},
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// BenchmarkBuild builds a dataset of b.N examples and reads it once, tokens counted exactly. A hundred thousand:
//
//	go test -v -run '^$' -bench Build -benchtime 100000x -timeout 1h ./finetune
func BenchmarkBuild(b *testing.B) {
	o := finetune.Options{Shares: [3]float64{90, 5, 5}, Seed: 1, Counter: finetune.OpenAI("")}
	if testing.Verbose() {
		o.Progress = func(stage string, done, total int64) {
			if done%(64<<10) == 0 {
				fmt.Fprintf(os.Stderr, "%s %d of %d\n", stage, done, total)
			}
		}
	}
	built, err := finetune.Build(b.Context(), windows(b.N), o)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range finetune.Splits() {
		for _, err := range built.Examples(s) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "examples/s")
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(peak, "peak-MiB")
	}
}

// peakMemory is the most that the process held at a time, in MiB, where the system says so.
func peakMemory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024
		}
	}
	return 0
}
