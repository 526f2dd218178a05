package finetune

// What the tests of words look into.

func Fold(text string) string                 { return fold(text) }
func Passage(text string, hash uint64) string { return passage(text, leakWords, hash) }

func Grams(text string, n int) (hashes []uint64, words int) { return grams(text, n) }
