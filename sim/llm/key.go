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
	sampling, err := json.Marshal(s)
	if err != nil { // a NaN or an infinity, for which JSON has no word
		floats := fmt.Sprint(*s.Temperature, *s.TopP, *s.MinP, *s.RepeatPenalty, *s.PresencePenalty, *s.FrequencyPenalty)
		s.Temperature, s.TopP, s.MinP, s.RepeatPenalty, s.PresencePenalty, s.FrequencyPenalty = nil, nil, nil, nil, nil, nil
		sampling, _ = json.Marshal(s)
		sampling = append(sampling, floats...)
	}
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
