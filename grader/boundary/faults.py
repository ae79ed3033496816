"""Which texts of faults may be shown where values must not be.

The text is made in the worker, from templates of the CUDA runtime. A submission can forge it, and spell the input of a
hidden test in it; so only a template's own words are believed, with names that stand in the student's file.
"""

from __future__ import annotations

import re

from shared.cuda.errors import MEANINGS

_NAME = r"(.{1,120}?)"  # has to stand in the student's file
_NUMBERS = r"\([\d,]+\)"
_WHERE = rf"(?:{_NAME}: )?thread {_NUMBERS} of block {_NUMBERS} "
_WHERE_LINE = rf"(?:{_NAME}, {_NAME}:\d+: )thread {_NUMBERS} of block {_NUMBERS} "
_VERB = "(?:writes|reads|accesses|updates)"
_ELEMENT = rf"{_NAME}(?:\[-?\d+\])+"
_OTHER = rf"(?:another thread|thread {_NUMBERS}(?: of block {_NUMBERS})?)"
_INTEGER = r"'(?:int|long|short|char|signed char|long long)'"
_LANES = r"(?:; (?:waiting in a warp operation|waiting at __syncthreads\(\)|ended): lanes [\d,]+)*"
_IN_A_THREAD = (
    rf"{_VERB} through a null pointer",
    rf"{_VERB} where no device memory is: a wild index, or a host pointer",
    rf"{_VERB} {_ELEMENT}: `{_NAME}` has \d+ elements?",
    rf"{_VERB} {_ELEMENT}: the shared array has \d+ elements",
    rf"{_VERB} {_ELEMENT}, which nobody has written",
    rf"{_VERB} {_ELEMENT}, which {_OTHER} (?:reads|writes|updates|writes with another value)(?: in line \d+)? "
    "(?:with no barrier between them|in the same launch, and nothing puts them in order)",
    rf"waits at __syncthreads\(\) in line \d+ while thread {_NUMBERS} waits at the one in line \d+: "
    "all threads of a block must come to the same one",
    r"has accessed memory \d+ times and goes on: a loop that does not end",
    r"uses the index -?\d+ in an array of the type '[\w ]{1,40}(?: ?\[\d+\]){1,4}'",
    rf"computes -?\d+ [-+*] -?\d+, which does not fit into {_INTEGER}: compute it in int64_t or size_t",
    r"divides an integer by zero \(-?\d+ / -?\d+\)",
    r"divides -?\d+ by -?\d+, which does not fit into its type",
    rf"{_VERB} the buffer `{_NAME}` after it was freed",
    rf"{_VERB} \d+ bytes past the end of the buffer `{_NAME}`, which has \d+ bytes",
    rf"{_VERB} \d+ bytes before the start of the buffer `{_NAME}`",
    rf"(?:{_VERB}|uses|expects) \d+ bytes(?: of `{_NAME}`)? at an address that is no multiple of \d+",
    r"uses an address that is misaligned \(a float4 needs a multiple of 16 bytes\) or that no memory can have",
    rf"{_VERB} byte \d+ of memory from malloc or new, which has \d+ bytes",
    "frees what malloc or new did not give in a kernel, or frees it twice",
    r"needs more than \d+ KB for its local variables and calls",
    "divides an integer by zero",
    rf"executes __trap\(\) at {_NAME}:\d+",
    rf"fails the assertion `{_NAME}` at {_NAME}:\d+",
    rf"launches the kernel {_NAME}; a kernel cannot launch another here",
    rf"declares `{_NAME}`, which brings static shared memory to \d+ bytes; a block has \d+",
    rf"declares `{_NAME}`, which brings shared memory to \d+ bytes with the \d+ of the launch; a block has \d+",
    rf"waits in {_NAME} with the mask 0x[\da-f]+, but not all lanes of this mask get there{_LANES}",
    rf"calls {_NAME} with the mask 0x[\da-f]+, which leaves out its own lane \d+",
    rf"calls {_NAME} with the width -?\d+, which is no power of two",
)
_ON_THE_HOST = (
    rf"{_NAME} gets a null pointer",
    rf"{_NAME} of \d+ bytes from byte -?\d+ on leaves the buffer `{_NAME}`, which has \d+ bytes",
    "cudaFree gets an address that cudaMalloc did not give, or that is free already",
    rf"the launch of {_NAME} has (?:a block of no threads|more than 1024 threads in a block"
    rf"|a block\.z of more than 64): its block is {_NUMBERS}",
    rf"the launch of {_NAME} has (?:a grid of no blocks|a grid\.x of more than 2147483647"
    rf"|a grid\.y or grid\.z of more than 65535): its grid is {_NUMBERS}",
    rf"the launch of {_NAME} asks for \d+ bytes of dynamic shared memory; a block has at most \d+",
    rf"the launch of {_NAME} asks for \d+ bytes of dynamic shared memory; more than \d+ need "
    r"cudaFuncSetAttribute\(\.\.\., cudaFuncAttributeMaxDynamicSharedMemorySize, \.\.\.\)",
    rf"cudaFuncSetAttribute asks for -?\d+ bytes of dynamic shared memory for {_NAME}; a block has at most \d+",
    rf"the launcher reads or writes device memory \(`{_NAME}`\) on the host: only a kernel may",
    "the launcher leaves a kernel before it has ended",
    rf"writes past the end of `{_NAME}` \(\d+ bytes behind it were changed\)",
    rf"writes before the start of `{_NAME}` \(\d+ bytes before it were changed\)",
    rf"writes outside of {_NAME}: memory beside it was changed",
    *(f"CUDA error: {re.escape(meaning)}" for meaning in MEANINGS),
)
_TEMPLATES = tuple(
    re.compile(text)
    for text in (
        *(where + message for message in _IN_A_THREAD for where in (_WHERE, _WHERE_LINE)),
        *_IN_A_THREAD,
        *(rf"(?:{_NAME}:\d+: )?{message}" for message in _ON_THE_HOST),
    )
)
_LONGEST = 1000
_OWN_NAMES = re.compile(r"a kernel|cudaMalloc #\d+|cudaMemcpy|cudaMemset")


def is_plain(text: str, file: str, source: str) -> bool:
    """Whether a fault's text is one of the runtime's own, and says nothing else."""
    for template in _TEMPLATES if len(text) <= _LONGEST else ():
        found = template.fullmatch(text)
        if found is not None and all(name is None or _is_known(name, file, source) for name in found.groups()):
            return True
    return False


def _is_known(name: str, file: str, source: str) -> bool:
    if name == file or _OWN_NAMES.fullmatch(name):
        return True
    return all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", source) for part in name.split(", ")[:4])
