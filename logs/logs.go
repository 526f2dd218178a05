// Package logs stores tables of records: as a journal of JSON lines while a run lives, as Parquet once it
// is complete, with a digest that shows that the two agree.
//
// It is generic over the record type. A row is a struct with json and parquet tags; what its JSON form
// leaves out is not kept. Four rules make the journal and Parquet agree for every reader:
//
//   - a list that is empty or nil is written as an empty list and read back as nil;
//   - times are written in UTC, cut to microseconds, and read back so;
//   - each byte that is not UTF-8 is replaced by U+FFFD, other text is kept as it is;
//   - a pointer that is nil is null on disk, and nil again when read.
//
// A reference page of all tables is README.md. In Parquet, lists carry the tag list, pointers the tag optional, times timestamp(microsecond);
// WriteParquet refuses a type that would be lost or misread without them.
package logs
