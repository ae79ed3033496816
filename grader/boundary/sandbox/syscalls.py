"""The deny-list of system calls, as the BPF program that `bwrap --seccomp` and `prctl` take.

A refused call fails with EPERM, so that a program which only tries goes on. Calls of any other architecture (32-bit
calls on x86-64 too) are refused altogether, or the numbers below would mean something else.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable

# Numbers on (x86_64, aarch64); None where the call does not exist.
_DENIED: dict[str, tuple[int, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # file systems and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # large parts of the kernel that nobody needs here, and that have been the way in before
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "personality": (135, 92),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    # memory outside of every sized file system
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}
# Where no namespace of its own keeps it apart: what outlives a process, or is seen by all.
_DENIED_WITHOUT_NAMESPACES: dict[str, tuple[int, int | None]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
_CLONE, _CLONE3, _IOCTL, _SOCKET = (56, 220), (435, 435), (16, 29), (41, 198)
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEWUSER, NEWNS, NEWPID, NEWNET, NEWIPC, NEWUTS, NEWCGROUP, NEWTIME
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # input for the terminal that the grader runs in
_AF_UNIX = 1
_EPERM, _ENOSYS = 1, 38

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data; low halves of arguments

_Instruction = tuple[int, int, int, int]


def is_known(machine: str = "") -> bool:
    """Whether the list has numbers for a processor; for this one by default."""
    return (machine or platform.machine()) in _AUDIT_ARCH


def program(own_namespaces: bool, machine: str = "") -> bytes:
    """The filter for a processor (this one by default); without namespaces of its own it denies more.

    Raises ValueError for a processor whose numbers are not known.
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        raise ValueError(f"no list of system calls for {machine!r}; expected one of {', '.join(_AUDIT_ARCH)}")
    column = list(_AUDIT_ARCH).index(machine)
    denied = [*_DENIED.values(), *(() if own_namespaces else _DENIED_WITHOUT_NAMESPACES.values())]
    numbers = [row[column] for row in denied]
    lines = [*_of_this_architecture(machine), (_LOAD, 0, 0, _NUMBER)]
    for number in numbers:
        if number is not None:
            lines += _when(number, [_deny()])
    # clone3 hides its flags behind a pointer; without it libc takes clone, whose flags can be seen.
    lines += _when(_CLONE3[column], [_deny(_ENOSYS)])
    lines += _when(_CLONE[column], _deny_if(_FIRST, (_ANY_BIT, _NEW_NAMESPACES)))
    lines += _when(_IOCTL[column], _deny_if(_SECOND, (_EQUAL, _TIOCSTI), (_EQUAL, _TIOCLINUX)))
    if not own_namespaces:
        only_local = [(_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, _AF_UNIX), _deny(), _allow()]
        lines += _when(_SOCKET[column], only_local)
    return b"".join(struct.pack("<HBBI", *line) for line in [*lines, _allow()])


def _of_this_architecture(machine: str) -> list[_Instruction]:
    lines = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), _deny()]
    if machine == "x86_64":
        lines += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), _deny()]
    return lines


def _when(number: int, then: list[_Instruction]) -> list[_Instruction]:
    """Run `then`, which returns, if the call has this number."""
    return [(_EQUAL, 0, len(then), number), *then]


def _deny_if(argument: int, *tests: tuple[int, int]) -> list[_Instruction]:
    lines: list[_Instruction] = [(_LOAD, 0, 0, argument)]
    for test, value in tests:
        lines += [(test, 0, 1, value), _deny()]
    return [*lines, _allow()]


def _deny(error: int = _EPERM) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _allow() -> _Instruction:
    return (_RETURN, 0, 0, _ALLOW)


def denied_numbers(names: Iterable[str]) -> dict[str, int]:
    """The numbers of denied calls on this processor, for tests."""
    column = list(_AUDIT_ARCH).index(platform.machine())
    found = {name: _DENIED[name][column] for name in names}
    return {name: number for name, number in found.items() if number is not None}
