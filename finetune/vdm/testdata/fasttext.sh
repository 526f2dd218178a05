#!/bin/sh
# Holds the linear virtual DM against Debian's fastText on the same windows, side by side.
#
#	fasttext.sh PARLEY TRAIN.jsonl VAL.jsonl TEST.jsonl
#
# PARLEY is the program; fasttext (apt-get install fasttext), python3 and two processors are needed.
# fastText gets the same two questions that the linear virtual DM asks: one model over every member
# of the cast says who acts, one over those who act says which skill. Words carry who says them, seen
# from the candidate (o: itself, d: the Dungeon Master, x: others), names become "me" and "somebody",
# and the actor's model is told how lately and how often the candidate spoke. Both models are trained
# with three settings; thresholds are tuned on the validation windows for each; the best on the TEST
# windows counts, which favours fastText. Time is that of training, and for the linear virtual DM that
# of reading words and tuning thresholds too, which favours fastText again.
set -eu
[ $# = 4 ] || { sed -n '2,5p' "$0"; exit 2; }
parley=$1 train=$2 val=$3 test=$4
command -v fasttext >/dev/null || { echo "fasttext is not installed: apt-get install fasttext" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$parley" finetune train --task dm --in "$train" --val "$val" --out "$dir/model" --json >"$dir/train.json"
"$parley" finetune eval --model "$dir/model" --in "$test" --train "$train" --json >"$dir/eval.json"

python3 - "$dir" "$train" "$val" "$test" <<'PY'
import json, re, subprocess, sys, time
from itertools import product

dir, train, val, test = sys.argv[1:]

def read(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]

def words(line, candidate, cast):
    text = re.sub(r"[0-9]+", "#", line["text"].lower())
    for name in sorted(cast, key=len, reverse=True):
        for form in {name.lower(), re.split(r"[^a-z]", name.lower())[0]}:
            if len(form) > 2:
                text = re.sub(r"\b" + re.escape(form) + r"\b", "me" if name == candidate else "somebody", text)
    return re.findall(r"[a-z#']+", text)

def who(line, candidate):
    speakers = [s.strip() for s in line["speaker"].split("&")]
    return "o" if candidate in speakers else "d" if "DM" in speakers else "x"

def actor(w, c):
    lines, out, own, others, lately = w["context"], [], 0, set(), 0
    for dist, line in enumerate(reversed(lines)):
        if who(line, c) == "o":
            if own == 0:
                out += ["since_%d" % min(dist, 12), "rank_%d" % min(len(others), 6)]
            if own < 4:
                out += ["o:" + t for t in words(line, c, w["cast"])]
            own += 1
            lately += dist < 10
        elif who(line, c) == "x":
            others.add(line["speaker"])
        elif dist < 8 and "me" in words(line, c, w["cast"]):
            out.append("called")
    return out + ["spoke_%d" % min(own, 15), "lately_%d" % min(lately, 8)] + (["silent"] if own == 0 else [])

def skill(w, c):
    return [who(l, c) + ":" + t for l in w["context"][-9:] for t in words(l, c, w["cast"])]

def samples(ws):
    for n, w in enumerate(ws):
        for c in w["cast"]:
            yield n, w, c, [i["skill"] for i in w["intentions"] if i["character"] == c]

def label(s):
    return "__label__" + s.replace(" ", "_")

sets = {"train": read(train), "val": read(val), "test": read(test)}
for name, ws in sets.items():
    with open(f"{dir}/{name}.actor", "w") as a, open(f"{dir}/{name}.skill", "w") as s:
        for n, w, c, tried in samples(ws):
            a.write(("__label__yes " if tried else "__label__no ") + " ".join(actor(w, c)) + "\n")
            if name != "train":
                s.write(" ".join(skill(w, c)) + "\n")
            elif tried:
                s.write(" ".join(map(label, tried)) + " " + " ".join(skill(w, c)) + "\n")

def fit(task, setting):
    start = time.time()
    subprocess.run(["fasttext", "supervised", "-input", f"{dir}/train.{task}", "-output", f"{dir}/{task}",
                    "-thread", "2", "-wordNgrams", "2", "-bucket", "200000", "-verbose", "0", *setting.split()],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.time() - start

def ask(task, name):
    k = 2 if task == "actor" else 18
    out = subprocess.run(["fasttext", "predict-prob", f"{dir}/{task}.bin", f"{dir}/{name}.{task}", str(k)],
                         check=True, capture_output=True, text=True).stdout.splitlines()
    return [dict(zip(l.split()[::2], map(float, l.split()[1::2]))) for l in out]

def score(name, acts, tries, beside, second):
    ws, found, best = sets[name], {}, {}
    rows = list(samples(ws))
    for i, (n, w, c, tried) in enumerate(rows):
        p = acts[i].get("__label__yes", 0)
        if n not in best or p > best[n][0]:
            best[n] = (p, i)
    cs, os_ = [0, 0], [0, 0]
    for i, (n, w, c, tried) in enumerate(rows):
        p = acts[i].get("__label__yes", 0)
        on = p >= beside or best[n][1] == i
        truth = {label(s) for s in tried}
        chosen = set()
        if on and tries[i]:
            top = max(tries[i], key=tries[i].get)
            chosen = {s for s, q in tries[i].items() if s == top or p * q >= second}
        cs[0] += on and bool(truth); cs[1] += on != bool(truth)
        os_[0] += len(chosen & truth); os_[1] += len(chosen ^ truth)
    f = lambda x: 200 * x[0] / max(1, 2 * x[0] + x[1])
    return f(cs), f(os_)

results = []
for setting in ["-dim 20 -epoch 25 -lr 0.5", "-dim 50 -epoch 25 -lr 0.5", "-dim 20 -epoch 50 -lr 1.0"]:
    seconds = fit("actor", setting) + fit("skill", setting)
    p = {(t, n): ask(t, n) for t in ("actor", "skill") for n in ("val", "test")}
    beside = max((i / 20 for i in range(4, 20)), key=lambda b: score("val", p["actor", "val"], p["skill", "val"], b, 9)[0])
    second = max([i / 50 for i in range(2, 26)] + [9], key=lambda s: score("val", p["actor", "val"], p["skill", "val"], beside, s)[1])
    c, o = score("test", p["actor", "test"], p["skill", "test"], beside, second)
    results.append((c, o, seconds))
    print(f"fastText {setting:28}  f_c {c:6.2f}  f_o {o:6.2f}  {seconds:7.2f} s")

ours = json.load(open(f"{dir}/train.json"))
got = {r["metric"]: r["value"] for r in json.load(open(f"{dir}/eval.json"))["results"] if r["control"] == ""}
print(f"linear   {'':28}  f_c {got['f_c']:6.2f}  f_o {got['f_o']:6.2f}  {ours['seconds']:7.2f} s")
c, o, seconds = max(results, key=lambda r: r[1])
print(f"f_o {got['f_o'] - o:+.2f} against its best setting, {seconds / ours['seconds']:.1f} times as fast;"
      f" {min(r[2] for r in results) / ours['seconds']:.1f} times as fast as its fastest")
sys.exit(not (got["f_o"] > o and seconds >= 5 * ours["seconds"]))
PY
