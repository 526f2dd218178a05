package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/logs"
)

// fileCache is a directory of cached replies.
type fileCache string

func (d fileCache) path(key string) string { return filepath.Join(string(d), key[:2], key) }

// Get returns what was put under the key.
func (d fileCache) Get(key string) ([]byte, bool, error) {
	data, err := os.ReadFile(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// Put keeps the data whole or not at all.
func (d fileCache) Put(key string, data []byte) error {
	path := d.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return logs.WriteFile(path, data)
}
