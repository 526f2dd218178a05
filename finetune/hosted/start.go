package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"parley/sim/llm"
)

// NewRecord makes the record of an order for files as they are now. Of the record the name, which may be empty, the
// server and the order are given. No file may have more bytes than the limit.
func (d *Dataset) NewRecord(r Record, limit int64) (*Record, error) {
	train, err := Inspect(d.Train, limit)
	if err != nil {
		return nil, err
	}
	r.Training = *train
	if d.Validation != "" {
		if r.Validation, err = Inspect(d.Validation, limit); err != nil {
			return nil, err
		}
		if r.Validation.SHA256 == train.SHA256 {
			return nil, fmt.Errorf("%s and %s are the same: nothing can be validated on what was learned", d.Train, d.Validation)
		}
	}
	r.Name = cmp.Or(r.Name, r.DefaultName())
	return &r, nil
}

// Underway reports whether the same job was ordered before, so that nothing more will be paid.
func (r *Record) Underway(dir string) bool {
	old, err := Load(filepath.Join(dir, Folder, r.Name+".json"))
	return err == nil && old.Digest() == r.Digest() && old.Job != nil && old.Job.State != Failed && old.Job.State != Cancelled
}

// StartOnce orders the job of a record unless it was ordered before, by whichever process; again orders it once more.
// Mark draws what the order is known by. Tell is told what is being done.
func (c *Client) StartOnce(ctx context.Context, r *Record, dir string, again bool, mark *rand.Rand, tell func(string)) (before bool, err error) {
	if err := r.Check(); err != nil {
		return false, err
	}
	release, err := Hold(ctx, dir, tell)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := r.Open(dir, again); err != nil {
		return false, err
	}
	before = r.Job != nil
	return before, c.Start(ctx, r, mark, tell)
}

// Start brings an opened record's job under way: it sends the files, waits until they are processed,
// and orders the job. After each step the record is saved, and what was done is not done again: a file
// that the server has is not sent twice, and an order whose answer was lost is looked for first. Mark
// draws what the order is known by. Tell, which may be nil, is told what is being done.
func (c *Client) Start(ctx context.Context, r *Record, mark *rand.Rand, tell func(string)) error {
	if tell == nil {
		tell = func(string) {}
	}
	switch {
	case r.Job != nil:
		return nil
	case c.o.Now == nil:
		return errors.New("start a job: there is no clock to say when it was ordered")
	}
	if err := r.Order.Validate(); err != nil {
		return err
	}
	save := func() error {
		r.Updated = c.now().UTC()
		return r.Save()
	}
	if !r.Asked.IsZero() {
		tell("looking for the job that was ordered before")
		job, err := c.look(ctx, r.Order, r.Earlier)
		if err != nil {
			return fmt.Errorf("whether the job was created is not known; look at the server, and order anew with --again if it was not: %w", err)
		}
		if job != nil {
			tell("found job " + job.ID)
			r.Job = job
			return save()
		}
	}
	pieces := []*Piece{&r.Training}
	if r.Validation != nil {
		pieces = append(pieces, r.Validation)
	}
	for _, p := range pieces {
		if err := c.send(ctx, p, save, tell); err != nil {
			return err
		}
	}
	r.Order.TrainingFile = r.Training.ID
	if r.Validation != nil {
		r.Order.ValidationFile = r.Validation.ID
	}
	if r.Order.Mark == "" {
		r.Order.Mark = fmt.Sprintf("%016x", mark.Uint64())
	}
	r.Asked = c.now().UTC()
	if err := save(); err != nil { // before the server can know of it
		return err
	}
	tell("creating the job")
	job, err := c.Create(ctx, r.Order, r.Earlier...)
	if err != nil {
		if e := (*Error)(nil); errors.As(err, &e) && !e.Maybe && ctx.Err() == nil {
			r.Asked = time.Time{} // the server said no
			return errors.Join(err, save())
		}
		return err
	}
	r.Job = job
	return save()
}

// send brings a file to the server unless it is there.
func (c *Client) send(ctx context.Context, p *Piece, save func() error, tell func(string)) error {
	name := filepath.Base(p.Path)
	if p.ID != "" {
		_, err := c.AwaitFile(ctx, p.ID)
		switch llm.FaultOf(err) {
		case llm.NotFound, llm.BadRequest: // deleted there, or no good
		case llm.Unsupported:
			return nil
		default:
			if err == nil {
				tell(name + " is there already: " + p.ID)
			}
			return err
		}
		p.ID = ""
	}
	tell(fmt.Sprintf("sending %s, %d bytes", name, p.Bytes))
	tenth := int64(0)
	file, err := c.Upload(ctx, p, func(n int64) {
		if now := 10 * n / p.Bytes; p.Bytes >= 16<<20 && now != tenth && now < 10 {
			tenth = now
			tell(fmt.Sprintf("sent %d %% of %s", 10*now, name))
		}
	})
	if err != nil {
		return err
	}
	p.ID, p.Uploaded = file.ID, c.now().UTC()
	if err := save(); err != nil {
		return err
	}
	if file.Status == "processed" {
		return nil
	}
	tell("waiting for the server to process " + file.ID)
	switch _, err := c.AwaitFile(ctx, p.ID); llm.FaultOf(err) {
	case llm.NotFound, llm.Unsupported: // not every server tells of its files
		return nil
	default:
		return err
	}
}
