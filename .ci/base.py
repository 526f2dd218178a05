"""Unpacks a GGUF model of the llama architecture into a directory that transformers reads, in 32 bits.

    base.py MODEL.gguf DIR
"""

import os
import sys

import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

source, out = sys.argv[1:]
where = {"pretrained_model_name_or_path": os.path.dirname(source), "gguf_file": os.path.basename(source)}
tokenizer = AutoTokenizer.from_pretrained(**where)
# transformers does not read from the file that this tokenizer takes digits one by one.
tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
    [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
)
assert tokenizer.tokenize("1234") == list("1234"), "digits are not taken one by one"
model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32, quantization_config=GgufConfig(dequantize=True))
model.save_pretrained(out)
tokenizer.save_pretrained(out)
