"""Other people's readers agree with parley's own about a run.

usage: readers.py RUN VERIFY.json

DuckDB, pyarrow, pandas, Polars and Hugging Face's datasets read every table; each has to see as many
rows as `parley verify --json` says, and the same sums over a few columns.
"""

import json
import sys
import tempfile

import datasets
import duckdb
import pandas
import polars
import pyarrow.parquet

run, report = sys.argv[1], json.load(open(sys.argv[2]))
failures, cache = [], tempfile.mkdtemp()


def same(what, **by_reader):
    if len({json.dumps(v, default=str) for v in by_reader.values()}) != 1:
        failures.append(f"{what}: {by_reader}")


for table, known in report["tables"].items():
    path = f"{run}/{table}.parquet"
    arrow = pyarrow.parquet.read_table(path)
    frame, pl = pandas.read_parquet(path), polars.read_parquet(path)
    # datasets refuses a file without rows: "corresponds to no data".
    hf = datasets.Dataset.from_parquet(path, cache_dir=cache, keep_in_memory=True) if arrow.num_rows else None
    same(
        f"rows of {table}",
        parley=known["rows"],
        duckdb=duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0],
        pyarrow=arrow.num_rows,
        pandas=len(frame),
        polars=pl.height,
        datasets=hf.num_rows if hf else 0,
    )
    same(f"columns of {table}", pyarrow=arrow.column_names, pandas=list(frame.columns), polars=pl.columns, datasets=hf.column_names if hf else pl.columns)

events = f"{run}/events.parquet"
duck = duckdb.sql(f"select sum(length(speech)), sum(len(audience)), sum(len(facts)), count(distinct session) from '{events}'").fetchall()[0]
pl = polars.read_parquet(events)
frame = pandas.read_parquet(events)
same(
    "sums over events",
    duckdb=[int(x) for x in duck],
    polars=[
        int(pl["speech"].str.len_chars().sum()),
        int(pl["audience"].list.len().sum()),
        int(pl["facts"].list.len().sum()),
        int(pl["session"].n_unique()),
    ],
    pandas=[int(frame.speech.str.len().sum()), int(frame.audience.str.len().sum()), int(frame.facts.str.len().sum()), int(frame.session.nunique())],
)
scores = f"{run}/scores.parquet"
duck = duckdb.sql(f"select round(sum(value), 6), sum(len(evidence)) from '{scores}' where metric = 'iep'").fetchall()[0]
pl = polars.read_parquet(scores).filter(polars.col("metric") == "iep")
same("sums over scores", duckdb=[float(duck[0]), int(duck[1])], polars=[round(float(pl["value"].sum()), 6), int(pl["evidence"].list.len().sum())])
zone = str(pyarrow.parquet.read_table(events).schema.field("time").type)
if zone != "timestamp[us, tz=UTC]":
    failures.append(f"time of events is {zone}")

print("\n".join(failures) or f"all readers agree on {len(report['tables'])} tables")
sys.exit(bool(failures))
