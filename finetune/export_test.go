package finetune

// What the fuzz targets look into.

func Encode(x *Example) []byte                { return encode(nil, x) }
func Decode(record []byte) (Example, error)   { return decode(record) }
func Fold(text string) string                 { return string(fold(nil, text)) }
func Passage(text string, hash uint64) string { return passage(text, leakWords, hash) }

func Grams(text string, n int) (hashes []uint64, words int) { return grams(nil, text, n) }
