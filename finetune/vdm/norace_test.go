//go:build !race

package vdm_test

const raced = false
