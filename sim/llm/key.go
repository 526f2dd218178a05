package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// RequestKey identifies what is asked: the messages in their order, the completed sampling with its
// seed, the schema and the log-probabilities asked for. The tag, which is never sent, makes no
// difference, and neither does how long a server keeps the model loaded.
func RequestKey(req Request) string {
	s := req.Sampling.Complete()
	s.KeepAlive = ""
	sampling, _ := json.Marshal(s) // it fails for NaN and infinities only, which no adapter sends
	h := sha256.New()
	for i := range req.Messages {
		h.Write([]byte(req.Messages[i].Hash()))
	}
	fmt.Fprintf(h, "\n%s\n%d\n", sampling, req.TopLogprobs)
	h.Write(req.Schema)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func hashes(messages []Message) []string {
	all := make([]string, len(messages))
	for i := range messages {
		if all[i] = messages[i].hash; all[i] == "" {
			all[i] = messages[i].Hash()
		}
	}
	return all
}
