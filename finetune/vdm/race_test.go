//go:build race

package vdm_test

const raced = true
