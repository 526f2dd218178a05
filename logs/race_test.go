//go:build race

package logs_test

// pointersChecked: with the race detector the compiler also checks pointers, and ends the program
// where an unsafe slice has none. Without it that is a panic, which the reader makes an error of.
const pointersChecked = true
