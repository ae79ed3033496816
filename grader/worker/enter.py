"""Start a program behind a filter of system calls: `python -I -S enter.py DESCRIPTOR PROGRAM ARGUMENT…`.

For sandboxes that no other program puts up. The filter, in the kernel's own form, is read from the descriptor; it stays
with the process and everything that descends from it.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_INSTRUCTION_BYTES = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main() -> None:
    """Put the filter in force, then become the program."""
    descriptor = int(sys.argv[1])
    with open(descriptor, "rb") as file:
        install(file.read())
    os.execv(sys.argv[2], sys.argv[2:])


def install(instructions: bytes) -> None:
    """Put a filter in force for this process; raises OSError when the kernel refuses it."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(instructions) // _INSTRUCTION_BYTES, instructions)
    for call in ((_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


if __name__ == "__main__":
    main()
