package gguf_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"parley/finetune/gguf"
)

// A LoRA that PEFT saved becomes an adapter for the base that it was trained from.
func Example() {
	ctx := context.Background()
	file, err := gguf.Open("base.gguf")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	base, err := file.Base()
	if err != nil {
		log.Fatal(err)
	}
	lora, err := gguf.OpenAdapter("lora")
	if err != nil {
		log.Fatal(err)
	}
	defer lora.Close()
	for _, c := range lora.Check(base) {
		fmt.Println(c.Verdict, c.Name, c.Detail)
	}
	out, err := os.Create("adapter.gguf")
	if err != nil {
		log.Fatal(err)
	}
	if err := lora.Write(ctx, out, base, gguf.F32, nil); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
}
