package gguf

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// Source is a tensor to be written, and where its data comes from. Its offset is not read.
type Source struct {
	Tensor
	// Fill writes the tensor's data, exactly as many bytes as it has.
	Fill func(ctx context.Context, w io.Writer) error
}

// Write writes a file of version 3: the metadata as it is, then each tensor's data, one after the
// other as it comes from its source, so that never more than a piece of one is in memory. Progress,
// which may be nil, is told how many bytes of the data are written.
func Write(ctx context.Context, w io.Writer, entries []KV, tensors []Source, progress func(done, total int64)) error {
	align, err := alignment(entries)
	if err != nil {
		return err
	}
	head := append([]byte("GGUF"), 3, 0, 0, 0)
	le := binary.LittleEndian
	head = le.AppendUint64(head, uint64(len(tensors)))
	head = le.AppendUint64(head, uint64(len(entries)))
	keys, names := map[string]bool{}, map[string]bool{}
	for _, v := range entries {
		if keys[v.Key] || v.Key == "" || len(v.Key) > maxName {
			return fmt.Errorf("the metadata %q cannot be written: the key is there twice, is empty or too long", v.Key)
		}
		keys[v.Key] = true
		head = appendText(head, v.Key)
		head = le.AppendUint32(head, uint32(v.Type))
		head = append(head, v.raw...)
	}
	sizes, total := make([]int64, len(tensors)), int64(0)
	for i := range tensors {
		t := &tensors[i].Tensor
		size, known := t.Size()
		err := t.check()
		switch {
		case err != nil:
			return err
		case !known:
			return fmt.Errorf("tensor %q is of %s, whose size is not known", t.Name, t.Type)
		case names[t.Name] || t.Name == "" || len(t.Name) > 63: // as llama.cpp has it
			return fmt.Errorf("tensor %q cannot be written: the name is there twice, is empty or longer than 63 bytes", t.Name)
		}
		names[t.Name] = true
		head = appendText(head, t.Name)
		head = le.AppendUint32(head, uint32(len(t.Shape)))
		for _, d := range t.Shape {
			head = le.AppendUint64(head, d)
		}
		head = le.AppendUint32(head, uint32(t.Type))
		head = le.AppendUint64(head, uint64(total))
		sizes[i] = size
		total += padded(size, align)
	}
	out := bufio.NewWriterSize(w, 256<<10)
	head = append(head, make([]byte, padded(int64(len(head)), align)-int64(len(head)))...)
	if _, err := out.Write(head); err != nil {
		return err
	}
	done := int64(0)
	zeros := make([]byte, align)
	for i := range tensors {
		t := &tensors[i]
		n := &counted{w: out, left: sizes[i]}
		if progress != nil {
			n.told = func(k int64) { progress(done+k, total) }
		}
		if err := t.Fill(ctx, n); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if n.left != 0 {
			return fmt.Errorf("tensor %q: %d bytes of its data are missing", t.Name, n.left)
		}
		pad := padded(sizes[i], align)
		if _, err := out.Write(zeros[:pad-sizes[i]]); err != nil {
			return err
		}
		done += pad
		if progress != nil {
			progress(done, total)
		}
	}
	return out.Flush()
}

// counted takes as many bytes as a tensor has and no more.
type counted struct {
	w          io.Writer
	left, done int64
	told       func(int64)
}

func (c *counted) Write(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		return 0, fmt.Errorf("the data is %d bytes longer than the tensor", int64(len(p))-c.left)
	}
	n, err := c.w.Write(p)
	c.left -= int64(n)
	c.done += int64(n)
	if c.told != nil {
		c.told(c.done)
	}
	return n, err
}
