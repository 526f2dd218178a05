"""The parts of .ci/lora that need Python.

    lora.py cut IN OUT N                      windows cut to their last lines, of N characters together
    lora.py system BASE                       the system message that a template adds where there is none
    lora.py same BASE ADAPTER CALLS N K MAX TIE
                                              of the first N calls of a server, at least K replies are what
                                              transformers says to the same prompt, greedily; or part from it
                                              where the two next tokens' logits differ by less than TIE
"""

import json
import sys


def cut(source, out, room):
    with open(source, encoding="utf-8") as f, open(out, "w", encoding="utf-8") as to:
        for line in f:
            window = json.loads(line)
            kept, left = [], int(room)
            for said in reversed(window["context"]):
                text = said["text"][-240:]
                left -= len(said["speaker"]) + len(text) + 3
                if kept and left < 0:
                    break
                kept.append({**said, "text": text})
            to.write(json.dumps({**window, "context": kept[::-1]}, ensure_ascii=False) + "\n")


def system(base):
    from transformers import AutoTokenizer

    said = "What was said."
    text = AutoTokenizer.from_pretrained(base).apply_chat_template([{"role": "user", "content": said}], tokenize=False)
    start, end = "<|im_start|>system\n", "<|im_end|>"
    print(text.split(start, 1)[1].split(end, 1)[0] if start in text else "", end="")


def same(base, adapter, calls, number, least, most, tie):
    import warnings

    import torch
    import transformers
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    warnings.filterwarnings("ignore", category=FutureWarning)
    transformers.utils.logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), adapter).eval()
    with open(calls, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f][: int(number)]
    equal = tied = 0
    for i, row in enumerate(rows, 1):
        messages = [{key.lower(): value for key, value in m.items()} for m in row["messages"]]
        prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True, return_tensors="pt")
        start = prompt["input_ids"].shape[1]
        with torch.inference_mode():
            out = model.generate(**prompt, max_new_tokens=int(most), do_sample=False)[0]
        own = tokenizer.decode(out[start:], skip_special_tokens=True)
        if own.strip() == row["reply"].strip():
            equal += 1
            continue
        # Where the two part, how much likelier is the word of transformers?
        said = tokenizer(row["reply"], add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
        at = next((k for k, (a, b) in enumerate(zip(out[start:].tolist(), said)) if a != b), None)
        gap = float("inf")
        if at is not None:
            with torch.inference_mode():
                logits = model(out[None, : start + at]).logits[0, -1]
            gap = float(logits[out[start + at]] - logits[said[at]])
        tied += abs(gap) < float(tie)
        print(f"  {i}: the server says {row['reply']!r} ({row['prompt_tokens']} tokens of prompt)")
        print(f"     transformers {own!r} ({start} tokens); where they part, the one is likelier by {gap:.4f}")
    ties = f" and {tied} part at a tie (likelier by less than {tie})" if float(tie) else ""
    print(f"{equal} of {len(rows)} replies are those of transformers{ties}; {least} have to be", flush=True)
    sys.exit(equal + tied < int(least))


{"cut": cut, "system": system, "same": same}[sys.argv[1]](*sys.argv[2:])
