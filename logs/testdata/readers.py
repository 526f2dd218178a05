"""Reads a Parquet file with each library and compares every value with the same rows as JSON lines.

Usage: readers.py FILE.jsonl FILE.parquet. Prints one line a library: its name and the rows it read.
"""

import datetime
import json
import math
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet


def plain(value):
    """Strips a library's own types from a value. Numbers that pandas made floats stay equal."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, datetime.datetime):
        utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return (utc - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(value, float) and math.isnan(value):
        return None
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def wanted(row, times):
    row = dict(row)
    for t in times:
        row[t] = plain(datetime.datetime.fromisoformat(row[t]))
    return row


def duck(path):
    cursor = duckdb.connect()
    cursor.execute("SET TimeZone = 'UTC'")
    cursor.execute("SELECT * FROM read_parquet(?)", [path])
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


readers = {
    "pyarrow": lambda path: pyarrow.parquet.read_table(path).to_pylist(),
    "duckdb": duck,
    "polars": lambda path: polars.read_parquet(path).to_dicts(),
    "pandas": lambda path: pandas.read_parquet(path).to_dict("records"),
}


def main(journal, table):
    schema = pyarrow.parquet.read_schema(table)
    times = [f.name for f in schema if str(f.type).startswith("timestamp")]
    assert all(str(schema.field(t).type) == "timestamp[us, tz=UTC]" for t in times), schema
    with open(journal, encoding="utf-8") as lines:
        want = [wanted(json.loads(line), times) for line in lines]
    with open(journal, encoding="utf-8") as text:
        assert len(text.read().splitlines()) == len(want), "a text ends a line within its row"
    for name, read in readers.items():
        got = read(table)
        assert len(got) == len(want), f"{name}: {len(got)} rows, not {len(want)}"
        for i, (a, b) in enumerate(zip(got, want)):
            a = plain(a)
            assert a == b, f"{name}: row {i}:\n{a}\n{b}"
        print(name, len(got))


main(*sys.argv[1:])
