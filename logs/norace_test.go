//go:build !race

package logs_test

const pointersChecked = false
