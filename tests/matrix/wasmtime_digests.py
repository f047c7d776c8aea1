"""Digests of jobs in wasmtime, which has no JavaScript.

python wasmtime_digests.py MODULE < specs > digests: `MODULE` is what `bare.rs` was compiled to; specs are a JSON
array of texts, each a spec as JSON; digests are a JSON array, with the reason in place of one that could not be had.
"""

import json
import struct
import sys
from functools import partial

from wasmtime import Engine, Func, Instance, Module, Store, Trap, WasmtimeError


def missing(*_):
    raise RuntimeError("a function of JavaScript was called")


def digest_of(module, spec):
    """Of one job, in a memory of its own."""
    store = Store(module_engine)
    imports = [Func(store, each.type, missing) for each in module.imports]
    exports = Instance(store, module, imports).exports(store)
    write, run, digest = (partial(exports[names[name]], store) for name in names)
    padded = spec.encode() + b" " * (-len(spec.encode()) % 8)
    for (word,) in struct.iter_unpack("<q", padded):
        write(word)
    run()
    return b"".join(struct.pack("<q", digest(at)) for at in range(8)).decode()


module_engine = Engine()
module = Module.from_file(module_engine, sys.argv[1])
# wasm-bindgen puts a hash of the crate behind the name.
names = {
    name: next(each.name for each in module.exports if each.name.startswith(f"{name}_"))
    for name in ("write", "run", "digest")
}
digests = []
for spec in json.load(sys.stdin):
    try:
        digests.append(digest_of(module, spec))
    except (Trap, WasmtimeError, RuntimeError) as error:
        digests.append(f"failed: {str(error).splitlines()[0]}")
json.dump(digests, sys.stdout)
