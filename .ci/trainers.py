"""Holds datasets that parley built against the trainers' own code: the readers of datasets, TRL, Axolotl,
LLaMA-Factory and MLX-LM read every file, and every example has to have something that is learned.

    trainers.py BASE DATASET...       BASE is a model with a chat template, as transformers reads it

TRL prepares every row; of the others, which are slower, PARLEY_TRAINERS_ROWS of a file (100 unless it is
set, 0: all), drawn evenly.

What a package needs and this machine cannot have (a GPU, codecs, Apple's arrays) is stood in for; the code
that reads rows is the packages' own.
"""

import contextlib
import copy
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import logging
import os
import re
import sys
import time
import traceback
import types
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

os.environ.update(HF_HUB_OFFLINE="1", DISABLE_VERSION_CHECK="1", TOKENIZERS_PARALLELISM="false", AXOLOTL_DO_NOT_TRACK="1")

import datasets
import transformers
import yaml

datasets.disable_progress_bars()
transformers.utils.logging.disable_progress_bar()
logging.disable(logging.WARNING)

BASE = sys.argv[1]
passed, failed, skipped = 0, 0, 0


class Skip(Exception):
    """Why a check cannot be made here."""


class StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Takes the place of packages that are imported and not needed."""

    names = {"torchaudio", "av", "antlr4", "gradio", "fire", "modelscope", "axolotl_contribs_mit", "numba", "wandb"}

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.names else None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__name__, module.__spec__ = [], spec.name, spec
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(StandIn())  # last: what is there is taken


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise Skip(f"{name} cannot be imported: {e}")


def want(truth, what):
    if not truth:
        raise AssertionError(what)


def tell(line):
    print(line, file=sys.__stdout__, flush=True)


def settle(name, error, noise="", found=""):
    """Counts a check and says how it went."""
    global passed, failed, skipped
    if error is None:
        passed += 1
        tell(f"ok       {name}{': ' + found if found else ''}")
    elif isinstance(error, Skip):
        skipped += 1
        tell(f"skipped  {name}: {error}")
    else:
        failed += 1
        tell(f"FAILED   {name}: {type(error).__name__}: {error}")
        if not isinstance(error, AssertionError):
            tell("".join(traceback.format_exception(error)[-6:]) + noise[-1500:])


@contextlib.contextmanager
def check(name):
    """One check: it yields a list whose last item is what was found."""
    said, noise, start = [], io.StringIO(), time.monotonic()
    try:
        with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
            yield said
    except Exception as e:
        settle(name, e, noise.getvalue())
    else:
        settle(f"{name} ({time.monotonic() - start:.0f} s)", None, found=said[-1] if said else "")


tokenizer = transformers.AutoTokenizer.from_pretrained(BASE)


def tiny():
    """A model of the base's kind that is small enough to stand in for it where data are prepared."""
    torch = need("torch")
    torch.manual_seed(1)
    config = transformers.AutoConfig.from_pretrained(BASE)
    config.update({"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 8})
    return transformers.AutoModelForCausalLM.from_config(config)


def lines(path):
    """Rows as Python reads a text file: a mark or a line separator in the wrong place breaks it."""
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


ROWS = int(os.environ.get("PARLEY_TRAINERS_ROWS", "100"))


def some(rows):
    """Rows drawn evenly, first and last among them."""
    n = len(rows)
    if ROWS == 0 or n <= ROWS:
        return rows
    return [rows[i * (n - 1) // (ROWS - 1)] for i in range(ROWS)]


def splits(folder, validation="validation"):
    return {s: folder / f"{s}.jsonl" for s in ("train", validation, "test") if (folder / f"{s}.jsonl").exists()}


def printed(folder, setting):
    """The number that the README of a format says to set."""
    found = re.search(rf"{re.escape(setting)}[= :]+(\d+)", (folder / "README.md").read_text("utf-8"))
    want(found, f"the README says nothing of {setting}")
    return int(found[1])


def count(numbers, rows, what="tokens learned"):
    numbers = list(numbers)
    want(len(numbers) == rows, f"{rows} rows went in, {len(numbers)} came out")
    want(min(numbers) > 0, f"{sum(n == 0 for n in numbers)} of {rows} examples have nothing that is learned")
    return f"{rows} examples, {sum(numbers)} {what}, {min(numbers)} to {max(numbers)} an example"


# The dataset as such.


def whole(folder, name):
    card = (folder / "README.md").read_text("utf-8")
    with check(f"{name}: datasets.load_dataset") as said:
        head = yaml.safe_load(card.split("---")[1])
        data = datasets.load_dataset(str(folder))
        sizes = {s["split"]: s["examples"] for s in json.loads((folder / "report.json").read_text("utf-8"))["splits"] if s["examples"]}
        named = {f["split"] for c in head["configs"] for f in c["data_files"]}
        want(set(data) == set(sizes) == named, f"the splits are {sorted(data)}, of the report {sorted(sizes)}, of the card {sorted(named)}")
        columns = data["train"].features
        for split, part in data.items():
            want(part.features == columns, f"{split} has {part.features}, and train {columns}")
            want(part.num_rows == sizes[split], f"{split} has {part.num_rows} rows, and {sizes[split]} are reported")
            for row in part:
                want(row["messages"] == row["prompt"] + row["completion"], f"{split} has the row {row}")
        said.append(f"{', '.join(f'{s} {n}' for s, n in sizes.items())}; {len(columns)} columns")


# TRL.


def trl_sft(folder, name):
    trl = need("trl")
    for split, path in splits(folder).items():
        with check(f"{name}: trl.SFTTrainer prepares {split}") as said:
            most = printed(folder, "max_length")
            args = trl.SFTConfig(output_dir="/nonexistent", max_length=most, use_cpu=True, bf16=False, report_to=[])
            data = datasets.load_dataset("json", data_files=str(path), split="train")
            trainer = trl.SFTTrainer(model=tiny(), args=args, train_dataset=data, processing_class=tokenizer)
            done = trainer.train_dataset
            said.append(count((sum(label != -100 for label in row["labels"]) for row in done), len(lines(path))) + f", max_length {most}")
            for row, source in zip(done, lines(path)):
                learned = tokenizer.decode([label for label in row["labels"] if label != -100])
                answer = source["completion"][0]["content"]
                want(len(source["completion"]) == 1, "a completion has several messages: users' would be learned too")
                want(learned.rstrip() == answer + tokenizer.eos_token, f"{learned!r} is learned where {answer!r} stands")


def trl_dpo(folder, name):
    trl = need("trl")
    for split, path in splits(folder).items():
        with check(f"{name}: trl.DPOTrainer prepares {split}") as said:
            most = printed(folder, "max_length")
            args = trl.DPOConfig(output_dir="/nonexistent", max_length=most, use_cpu=True, bf16=False, report_to=[])
            data = datasets.load_dataset("json", data_files=str(path), split="train")
            trainer = trl.DPOTrainer(model=tiny(), args=args, train_dataset=data, processing_class=tokenizer)
            rows = []
            for row, source in zip(trainer.train_dataset, lines(path)):
                batch = trainer.data_collator([row])
                rows.append(int(batch["completion_mask"].sum(1).min()))
                for side in ("chosen", "rejected"):
                    want(tokenizer.decode(row[side + "_ids"]).rstrip() == source[side][0]["content"] + tokenizer.eos_token, f"{side}: {tokenizer.decode(row[side + '_ids'])!r}")
            said.append(count(rows, len(lines(path)), "tokens in the shorter answers") + f", max_length {most}")


# Axolotl.


def axolotl_config(path):
    from axolotl.utils.dict import DictDefault

    return DictDefault(yaml.safe_load(path.read_text("utf-8")))


def axolotl_rows(cfg, part, folder, kind):
    """The rows of one dataset of a configuration, and what Axolotl's strategy makes of each."""
    from axolotl.utils.dict import DictDefault

    rows = some(lines(folder / part["path"]))
    if cfg.rl:
        dpo = need("axolotl.prompt_strategies.dpo.chat_template")
        transform, _ = dpo.default(DictDefault({**cfg, "datasets": [part]}))
        return rows, [transform(row, tokenizer=tokenizer) for row in rows]
    load = need("axolotl.prompt_strategies.chat_template").StrategyLoader()
    strategy = load(copy.deepcopy(tokenizer), cfg, dict(part))
    return rows, [strategy.tokenize_prompt(row) for row in rows]


def axolotl(folder, name, config="axolotl.yaml"):
    with check(f"{name}: axolotl's schema of {config}") as said:
        schema = need("axolotl.utils.schemas.config").AxolotlInputConfig
        cfg = axolotl_config(folder / config)
        asked = dict(cfg) if cfg.base_model else {**cfg, "base_model": BASE, "micro_batch_size": 1, "gradient_accumulation_steps": 1, "learning_rate": 0.0002}
        seen = schema(**{**asked, "bf16": False})
        want(seen.sequence_len == cfg.sequence_len, "sequence_len is lost")
        unknown = set(cfg) - set(schema.model_fields)
        want(not unknown, f"axolotl knows no {', '.join(sorted(unknown))}")
        said.append(f"{len(asked)} settings are known and hold together")
    for key in ("datasets", "test_datasets"):
        if key not in (yaml.safe_load((folder / config).read_text("utf-8")) or {}):
            continue
        with check(f"{name}: axolotl's strategy for {key} of {config}") as said:
            need("axolotl.prompt_strategies.chat_template")
            cfg = axolotl_config(folder / config)
            for part in cfg[key]:
                rows, done = axolotl_rows(cfg, part, folder, key)
                if cfg.rl:
                    for row, out in zip(rows, done):
                        for side in ("chosen", "rejected"):
                            want(out[side] == row[side]["content"].rstrip() + tokenizer.eos_token, f"{side}: {out[side]!r}")
                    said.append(count((min(len(tokenizer(o[s])["input_ids"]) for s in ("chosen", "rejected")) for o in done), len(rows), "tokens in the shorter answers"))
                    continue
                for row, out in zip(rows, done):
                    learned = tokenizer.decode([label for label in out["labels"] if label != -100])
                    answers = "".join(m["content"] + tokenizer.eos_token for m in row["messages"] if m["train"])
                    want(learned == answers, f"{learned!r} is learned where {answers!r} stands")
                most = max(len(out["input_ids"]) for out in done)
                want(most <= cfg.sequence_len, f"the longest has {most} tokens, and sequence_len is {cfg.sequence_len}")
                said.append(count((sum(label != -100 for label in out["labels"]) for out in done), len(rows)) + f", longest {most} of sequence_len {cfg.sequence_len}")


# LLaMA-Factory, which reads ShareGPT and Alpaca files too.


def factory(folder, file, attr, ranking):
    """What LLaMA-Factory makes of a file: rows converted, and token labels."""
    loader = need("llamafactory.data.loader")
    template = need("llamafactory.data.template")
    hparams = need("llamafactory.hparams")
    masked = "mask_history: true" in (folder / "README.md").read_text("utf-8")
    data = hparams.DataArguments(dataset_dir=str(folder), template="chatml", cutoff_len=printed(folder, "cutoff_len"), mask_history=masked, overwrite_cache=True)
    model = SimpleNamespace(cache_dir=None, hf_hub_token=None)
    training = SimpleNamespace(local_process_index=0, should_log=False, seed=1, predict_with_generate=False)
    data.preprocessing_num_workers = None
    converted = loader._load_single_dataset(attr, model, data, training)
    drawn = converted.select(some(list(range(len(converted)))))
    own = copy.deepcopy(tokenizer)
    shape = template.get_template_and_fix_tokenizer(own, data)
    done = loader._get_preprocessed_dataset(drawn, data, training, "rm" if ranking else "sft", shape, own)
    return own, converted, drawn, done


def factory_check(title, folder, path, attr):
    with check(title) as said:
        rows = len(lines(path))
        own, converted, drawn, done = factory(folder, path, attr, attr.ranking)
        answers = 2 if attr.ranking else 1
        want(len(converted) == rows, f"{rows} rows went in, {len(converted)} came out")
        bad = [i for i, row in enumerate(converted) if len(row["_response"]) != answers or len(row["_prompt"]) % 2 != 1]
        want(not bad, f"{len(bad)} of {rows} rows are skipped as abnormal, the first is row {(bad or [0])[0] + 1}")
        if attr.ranking:
            numbers = [min(sum(t != -100 for t in row[k]) for k in ("chosen_labels", "rejected_labels")) for row in done]
            said.append(f"{rows} rows; " + count(numbers, len(drawn), "tokens in the shorter answers"))
            return
        for row, out in zip(drawn, done):
            learned = own.decode([label for label in out["labels"] if label != -100])
            want(learned.rstrip() == row["_response"][0]["content"] + own.eos_token, f"{learned!r} is learned where {row['_response'][0]['content']!r} stands")
        said.append(f"{rows} rows; " + count((sum(label != -100 for label in out["labels"]) for out in done), len(drawn)))


def llama_factory(folder, name):
    with check(f"{name}: LLaMA-Factory's dataset_info.json") as said:
        (folder / "dataset_info.json").read_bytes().decode("ascii")  # it is opened in the platform's encoding
        parser = need("llamafactory.data.parser")
        named = list(json.loads((folder / "dataset_info.json").read_text()))
        attrs = parser.get_dataset_list(named, str(folder))
        want({a.dataset_name for a in attrs} == {p.name for p in splits(folder).values()}, f"it names {[a.dataset_name for a in attrs]}")
        said.append(", ".join(named))
    with contextlib.suppress(Skip):
        parser = need("llamafactory.data.parser")
        for attr in parser.get_dataset_list(list(json.loads((folder / "dataset_info.json").read_text())), str(folder)):
            factory_check(f"{name}: LLaMA-Factory converts {attr.dataset_name}", folder, folder / attr.dataset_name, attr)


def sharegpt(folder, name):
    parser = need("llamafactory.data.parser")
    for split, path in splits(folder).items():
        attr = parser.DatasetAttr("file", path.name, formatting="sharegpt", messages="conversations", system="system" if "system" in lines(path)[0] else None)
        factory_check(f"{name}: LLaMA-Factory converts {split} as sharegpt", folder, path, attr)


def alpaca(folder, name):
    parser = need("llamafactory.data.parser")
    for split in ("train", "validation", "test"):
        for path in folder.glob(f"{split}.json*"):
            rows = lines(path) if path.suffix == ".jsonl" else json.loads(path.read_text("utf-8"))
            attr = parser.DatasetAttr("file", path.name, formatting="alpaca", system="system" if "system" in rows[0] else None, history="history" if "history" in rows[0] else None)
            factory_check(f"{name}: LLaMA-Factory converts {split} as alpaca", folder, path, attr)


# MLX-LM.


def mlx_datasets():
    """mlx_lm's own module of datasets, without the arrays of Apple that its package imports."""
    if "mlx_lm.tuner.datasets" in sys.modules:
        return sys.modules["mlx_lm.tuner.datasets"]
    spec = importlib.util.find_spec("mlx_lm")
    if spec is None:
        raise Skip("mlx_lm is not installed")
    root = Path(spec.origin).parent
    for name, path in (("mlx_lm", root), ("mlx_lm.tuner", root / "tuner")):
        package = types.ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package
    sys.modules["mlx_lm.cli_ui"] = MagicMock()
    return importlib.import_module("mlx_lm.tuner.datasets")


def mlx(folder, name):
    with check(f"{name}: mlx_lm loads the directory") as said:
        module = mlx_datasets()
        parts = module.load_dataset(SimpleNamespace(data=str(folder), train=True, test=(folder / "test.jsonl").exists(), hf_dataset=False, mask_prompt=True), tokenizer)
        most, batch = printed(folder, "--max-seq-length"), printed(folder, "--batch-size")
        for part, path in zip(parts, splits(folder, "valid").values()):
            rows = lines(path)
            want(len(part) == len(rows) >= batch, f"{path.name} has {len(rows)} rows, {len(part)} are loaded, and a batch has {batch}")
            learned = []
            for row in some(list(part)):
                tokens, offset = part.process(row)
                learned.append(max(0, min(len(tokens), most) - offset))
                want(tokenizer.decode(tokens[offset:]).rstrip() == row["messages"][-1]["content"] + tokenizer.eos_token, "the answer is cut")
            said.append(f"{said[-1] + '; ' if said else ''}{path.name} {len(rows)} rows, {count(learned, len(some(rows)))}")


# Unsloth's package wants a GPU; its rules are those of the README beside the files.


def unsloth(folder, name):
    for split, path in splits(folder).items():
        with check(f"{name}: Unsloth's markers in {split} (its rules restated: the package wants a GPU)") as said:
            most, learned = printed(folder, "max_length"), []
            ask, reply = "<|im_start|>user\n", "<|im_start|>assistant\n"
            rows = datasets.load_dataset("json", data_files=str(path), split="train")
            want(len(rows) == len(lines(path)), "rows are lost")
            rows = some(list(rows))
            for row in rows:
                text = tokenizer.apply_chat_template(row["conversations"], tokenize=False)
                want(ask in text and reply in text, "a marker is not in the text")
                tokens = tokenizer(text, add_special_tokens=False)["input_ids"][:most]
                start = tokenizer(text[: text.rindex(reply) + len(reply)], add_special_tokens=False)["input_ids"]
                learned.append(max(0, len(tokens) - len(start)))
            said.append(count(learned, len(rows)))


def openai(folder, name):
    for path in splits(folder).values():
        with check(f"{name}: {path.name} as Python reads it") as said:
            encoding = "utf-8-sig" if path.read_bytes().startswith(b"\xef\xbb\xbf") else "utf-8"
            want((encoding == "utf-8-sig") == ("azure" in folder.name), "the byte order mark is Azure's, and Azure's alone")
            rows = [json.loads(line) for line in path.read_text(encoding).splitlines()]
            tik = importlib.util.find_spec("tiktoken")
            said.append(f"{len(rows)} rows; OpenAI publishes no reader{'' if tik else ', and tiktoken is not here'}")


READERS = {
    "trl-sft": trl_sft, "trl-dpo": trl_dpo, "axolotl": axolotl, "llama-factory": llama_factory, "sharegpt": sharegpt,
    "alpaca": alpaca, "mlx": mlx, "unsloth": unsloth, "openai-sft": openai, "openai-dpo": openai, "azure-sft": openai,
}

for argument in sys.argv[2:]:
    folder = Path(argument)
    if (folder / "README.md").exists():
        whole(folder, folder.name)
    for sub in sorted((folder / "formats").iterdir()) if (folder / "formats").exists() else []:
        name = f"{folder.name}/{sub.name}"
        if sub.name not in READERS:
            settle(name, AssertionError("there is no reader for this format here"))
            continue
        try:
            READERS[sub.name](sub, name)
        except Exception as e:
            settle(name, e)
    if (folder / "recipe" / "config.yml").exists():
        axolotl(folder / "recipe", f"{folder.name}/recipe", "config.yml")

print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0 or passed == 0)
