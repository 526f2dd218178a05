// Package logs keeps records: as a journal of JSON lines while a run lives, as Parquet once it is
// complete, and it proves that the two say the same.
//
// It is generic over the record type and does not know what the records are. A row is a struct with
// json and parquet tags; what its JSON form leaves out is not kept. Four rules make the journal and
// Parquet agree, whoever reads them:
//
//   - a list that is empty or nil is written as an empty list and read back as nil;
//   - times are written in UTC, cut to microseconds, and read back so;
//   - text that is not UTF-8 has each bad byte replaced by U+FFFD, and is else kept as it is;
//   - a pointer that is nil is null on disk, and nil again when read.
//
// Lists of a stream's columns carry the tag list, pointers the tag optional, times
// timestamp(microsecond); WriteParquet refuses a type that would be lost or misread without them.
package logs
