"""What stands between a submission and this machine.

Three levels, the best that the host gives; the level is in every report.

`namespaces`  bubblewrap: a root folder made of the system's folders, Python and a copy of the worker's code, all
              read-only, and of a sized private /tmp and /dev/shm. Every namespace is its own, no capability is left,
              a deny-list of system calls is in force. Started as root the worker is another user, never root of the
              host; otherwise it lives in a user namespace.
`uid`         root inside an ordinary container, where no namespace can be made: another user, the same deny-list
              and without sockets of a network, limits per user, and an end by user. Files are hidden by their
              permissions alone, so staff's files must be readable by root only.
`none`        a process of its own, with limits: for one's own files.

A level is never assumed: `probes` starts the sandbox as a worker's is started, runs Python in it and looks at what
that found (user, capabilities, filter, processes, readable secrets). A level that cannot be had has a reason, and a
command that mends it.

    visible.py     what a worker may see: the system, Python, a copy of `grader/worker` and `shared`
    command.py     the command line and the environment of a worker, per level
    bubblewrap.py  the options of `bwrap`
    syscalls.py    the deny-list as a BPF program
    users.py       users that nobody else has, for one sandbox each
    cgroups.py     walls around memory and processes, where one can be made
    cell.py        one running sandbox: its processes, its memory, its end
    probes.py      which levels this host gives
"""

from grader.boundary.sandbox.cell import Cell, start
from grader.boundary.sandbox.command import Request
from grader.boundary.sandbox.level import Level
from grader.boundary.sandbox.probes import Lack, chosen, lacks
from grader.boundary.sandbox.visible import View, inside, make_view

__all__ = ["Cell", "Lack", "Level", "Request", "View", "chosen", "inside", "lacks", "make_view", "start"]
