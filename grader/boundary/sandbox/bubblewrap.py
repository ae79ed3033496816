"""The options of `bwrap`: a root folder of the few things that a worker needs, and nothing of this machine else.

Started as root, bwrap makes the namespaces with root's own rights, and what runs in them is another user of the host
without a capability: never root in a user namespace, who would still own root's files. Started by anybody else, it
makes a user namespace.

The options travel over a descriptor: on a command line everybody could read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.boundary.sandbox import devices, visible
from grader.boundary.sandbox.command import Request
from grader.boundary.sandbox.visible import INSIDE, View

HOME = Path("/tmp")
"""Where a worker may write: private, sized, gone with the sandbox."""
_ROOT_BECOMES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # what `setpriv` needs to become another user
_NOBODY = "65534"
_TOPOLOGY = ("/sys/devices/system/cpu", "/sys/devices/system/node")


def options(request: Request, env: Mapping[str, str], view: View, filter_descriptor: int, is_root: bool) -> list[str]:
    """Everything but the command."""
    return [
        *_namespaces(is_root),
        *_root_folder(request, view),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *("--seccomp", str(filter_descriptor)),
        "--clearenv",
        *(word for name, value in env.items() for word in ("--setenv", name, value)),
        *("--chdir", str(HOME)),
    ]


def _namespaces(is_root: bool) -> list[str]:
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--die-with-parent", "--new-session", "--hostname", "worker", "--cap-drop", "ALL"]
    if is_root:
        return [*words, *(word for name in _ROOT_BECOMES for word in ("--cap-add", name))]
    return [*words, "--unshare-user", "--uid", _NOBODY, "--gid", _NOBODY]


def _root_folder(request: Request, view: View) -> list[str]:
    """Mounts, the outer ones first: what lies deeper is put on top of them."""
    shown = visible.folders()
    holes = visible.holes(shown)
    room = str(int(request.disk_mb * 2**20))
    mounts = [(place, ["--perms", "1777", "--size", room, "--tmpfs", str(place)]) for place in _writable()]
    mounts += [(path, ["--ro-bind", str(path), str(path)]) for path in [*shown, *_hardware(request)]]
    mounts += [(path, ["--tmpfs", str(path)]) for path in holes]
    mounts += [(INSIDE / name, ["--ro-bind", str(getattr(view, name)), str(INSIDE / name)]) for name in View.PARTS]
    words = ["--proc", "/proc", "--dev", "/dev"]
    for target, link in visible.system_links():
        words += ["--symlink", target, link]
    made: set[Path] = set()
    for place, mount in sorted(mounts, key=lambda item: len(item[0].parts)):
        for parent in reversed(place.parents[:-1]):  # bwrap would close them to everybody but root
            words += ["--perms", "0755", "--dir", str(parent)] if parent not in made else []
            made.add(parent)
        words += mount
    for node in devices.nodes(request.device_index) if request.mode == "cuda" else ():
        words += ["--dev-bind", node, node]
    for path in holes:
        words += ["--remount-ro", str(path)]
    return words


def _writable() -> tuple[Path, ...]:
    return HOME, Path("/dev/shm")


def _hardware(request: Request) -> list[Path]:
    """What libraries ask about the machine; a GPU's driver asks for more."""
    wanted = ("/sys",) if request.mode == "cuda" else _TOPOLOGY
    return [Path(path) for path in wanted if Path(path).exists()]
