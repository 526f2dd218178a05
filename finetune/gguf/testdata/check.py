"""check.py MODEL.safetensors F32.gguf F16.gguf Q8_0.gguf: are the files what the package gguf makes of the model?"""
import sys

import gguf
import numpy as np


def load(path):
    """All tensors as F32. numpy has no bfloat16, so the file is read by hand."""
    import json
    import struct

    raw = open(path, "rb").read()
    (n,) = struct.unpack("<Q", raw[:8])
    out = {}
    for name, t in json.loads(raw[8 : 8 + n]).items():
        if name == "__metadata__":
            continue
        a, b = t["data_offsets"]
        data = raw[8 + n + a : 8 + n + b]
        if t["dtype"] == "BF16":
            x = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            x = np.frombuffer(data, "<f4")
        out[name] = x.reshape(t["shape"])
    return out


def permuted(x, heads):
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


model = load(sys.argv[1])
names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
for path in sys.argv[2:]:
    r = gguf.GGUFReader(path)
    field = lambda key: r.fields[key].contents()
    assert field("general.architecture") == "llama" and field("tokenizer.ggml.tokens") == ["t%d" % i for i in range(40)]
    found = {t.name: t for t in r.tensors}
    for name, x in model.items():
        ours = names.get_name(name, try_suffixes=(".weight",))
        t = found.pop(ours)
        if ours.endswith("attn_q.weight"):
            x = permuted(x, field("llama.attention.head_count"))
        if ours.endswith("attn_k.weight"):
            x = permuted(x, field("llama.attention.head_count_kv"))
        kind = gguf.GGMLQuantizationType
        want = kind.F32 if x.ndim == 1 else kind({0: 0, 1: 1, 7: 8}[field("general.file_type")])
        assert t.tensor_type == want, (ours, t.tensor_type)
        if want == kind.F32:
            same = np.array_equal(t.data.reshape(x.shape), x)
        elif want == kind.F16:
            same = np.array_equal(t.data.reshape(x.shape), x.astype(np.float16))
        else:
            same = np.array_equal(t.data, gguf.quants.quantize(x, want))
        assert same, (path, ours)
    assert not found, found
print(len(sys.argv) - 2, "files agree")
