"""Makes torch import on a machine without CUDA: PyPI serves the CUDA build only, whose libraries want
others that are gigabytes large. This puts empty ones in their place, in which every function fails; torch
then finds no GPU and computes on the CPU.

    stubs.py SITE-PACKAGES        needs gcc and binutils
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

torch = Path(sys.argv[1]) / "torch"
libraries = torch / "lib"
# What torch asks before it gives up on a GPU gets the answer that there is none.
ANSWERS = {
    "cudaGetDeviceCount": "long cudaGetDeviceCount(int *n) { if (n) *n = 0; return 100; }",
    "cudaGetLastError": "long cudaGetLastError(void) { return 0; }",
    "cudaPeekAtLastError": "long cudaPeekAtLastError(void) { return 0; }",
    "cudaGetErrorName": 'const char *cudaGetErrorName(int e) { return "cudaErrorNoDevice"; }',
    "cudaGetErrorString": 'const char *cudaGetErrorString(int e) { return "there is no CUDA here"; }',
    "__cudaInitModule": "char __cudaInitModule(void **p) { return 0; }",
    "__cudaRegisterFatBinary": "static void *handle[4]; void **__cudaRegisterFatBinary(void *p) { return handle; }",
}


def read(*args):
    return subprocess.run(["readelf", "-W", *args], capture_output=True, text=True, check=True).stdout


needed, defined, wanted = set(), set(), {}  # wanted: symbol to version, "" where it has none
provider = {}  # version to library
for file in [*libraries.glob("*.so*"), *torch.glob("_C*.so")]:
    if re.match(r"lib(cu|nv|nccl)", file.name):
        continue  # one of ours, of an earlier time
    needed |= set(re.findall(r"\(NEEDED\).*\[(.+?)\]", read("-d", file)))
    library = None
    for found in re.finditer(r"Version: \d+  File: (\S+)|Name: (\S+)  Flags", read("-V", file)):
        library = found[1] or library
        if found[2] and library:
            provider[found[2]] = library
    for line in read("--dyn-syms", file).splitlines():
        field = line.split()
        if len(field) < 8 or not field[0].endswith(":") or field[4] == "LOCAL":
            continue
        name, _, version = field[7].partition("@")
        if field[6] != "UND":
            defined.add(name)
        elif field[4] != "WEAK":
            wanted[name] = version.lstrip("@")

missing = sorted(n for n in needed if re.match(r"lib(cu|nv|nccl)", n))
if not missing:
    sys.exit("stubs.py: this torch wants no CUDA libraries")
parts = {library: defaultdict(list) for library in missing}
for name, version in sorted(wanted.items()):
    if provider.get(version) in parts:
        parts[provider[version]][version].append(name)
    elif not version and name not in defined and not re.match(r"_?Py", name):
        parts[missing[0]][""].append(name)  # a symbol without a version is taken from any library
with tempfile.TemporaryDirectory() as scratch:
    source, script = Path(scratch, "stub.c"), Path(scratch, "stub.map")
    for library, versions in parts.items():
        names = [n for group in versions.values() for n in group]
        source.write_text("\n".join(ANSWERS.get(n, f"long {n}(void) {{ return 100; }}") for n in names) + "\n")
        labels = [v for v in provider if provider[v] == library]
        script.write_text("".join(f"{v} {{ global: {''.join(n + '; ' for n in versions[v]) or ''}}};\n" for v in labels))
        subprocess.run(
            ["gcc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{library}", *([f"-Wl,--version-script={script}"] if labels else []), "-o", libraries / library, source],
            check=True,
        )
print(f"{len(missing)} empty libraries with {sum(len(g) for v in parts.values() for g in v.values())} functions")
