package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
)

// userSecret returns what tells runs that this user began from others'. It is made once and kept in the user's
// configuration directory; where there is none, runs are not signed.
func userSecret() ([]byte, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return nil, nil
	}
	path := filepath.Join(base, "parley", "secret")
	secret, err := os.ReadFile(path)
	if err == nil && len(secret) >= 16 {
		return secret, nil
	}
	secret = make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if again, err := os.ReadFile(path); err == nil && len(again) >= 16 {
			return again, nil // another command made it at the same moment
		}
		return nil, nil
	}
	_, err = f.Write(secret)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return secret, err
}
