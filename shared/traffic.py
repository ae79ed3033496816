"""What a call of a student's function moved, as the CPU back ends count it: the same record for CUDA and Triton.

A *site* is a place in the student's file that accesses memory. Global memory moves in sectors of 32 bytes: a warp's (in
Triton: a program's) access of 128 neighbouring bytes takes 4, however its lanes are ordered. Shared memory answers a
warp in one wavefront, or in n where n lanes want different words of one bank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

SECTOR_BYTES = 32
KINDS = ("load", "store", "atomic")


@dataclass(frozen=True)
class Site:
    """All accesses that one line makes in one way to one tensor or shared array."""

    line: int  # of the student's file; 0 where it is not known
    kind: str  # load, store or atomic
    space: str  # global or shared
    name: str  # of the tensor or shared array; empty where it is not known
    requests: int  # by warps (Triton: by programs)
    num_bytes: int  # by active lanes
    transfers: int  # sectors of global memory, wavefronts of shared memory
    ideal: int  # the fewest transfers for the same lanes

    @property
    def excess(self) -> float:
        """How many times the fewest transfers; 1 is best."""
        return self.transfers / self.ideal if self.ideal else 1.0


@dataclass(frozen=True)
class Traffic:
    """Everything that was counted in one call."""

    launches: int
    programs: int  # blocks, or programs of Triton, of all launches
    barriers: int  # of whole blocks; 0 for Triton
    sites: tuple[Site, ...]  # in the order of lines

    @property
    def global_bytes(self) -> int:
        """Bytes that active lanes load from and store to global memory."""
        return sum(site.num_bytes for site in self.sites if site.space == "global")


def merged(sites: Iterable[Site]) -> tuple[Site, ...]:
    """One site for each line, kind and name, in the order of lines."""
    found: dict[tuple[int, str, str, str], Site] = {}
    for site in sites:
        key = (site.line, site.space, site.name, site.kind)
        before = found.get(key)
        found[key] = site if before is None else _sum(before, site)
    return tuple(found[key] for key in sorted(found))


def _sum(a: Site, b: Site) -> Site:
    counts = (a.requests + b.requests, a.num_bytes + b.num_bytes, a.transfers + b.transfers, a.ideal + b.ideal)
    return Site(a.line, a.kind, a.space, a.name, *counts)


def pack(traffic: Traffic) -> dict[str, Any]:
    """As it travels in a reply."""
    sites = [list(astuple(site)) for site in traffic.sites]
    return {"launches": traffic.launches, "programs": traffic.programs, "barriers": traffic.barriers, "sites": sites}


def unpack(message: dict[str, Any]) -> Traffic:
    """What `pack` made; raises ValueError for anything else, since it comes from a worker."""
    sites, counts = message.get("sites"), [message.get(name) for name in ("launches", "programs", "barriers")]
    if not _are_counts(counts) or not isinstance(sites, list):
        raise ValueError("a traffic that is none")
    launches, programs, barriers = (int(count or 0) for count in counts)
    return Traffic(launches, programs, barriers, tuple(map(_site, sites)))


def _site(row: Any) -> Site:
    if not isinstance(row, list) or len(row) != len(Site.__dataclass_fields__):
        raise ValueError("a site that is none")
    line, kind, space, name, *counts = row
    if not _are_counts((line, *counts)) or kind not in KINDS or space not in ("global", "shared"):
        raise ValueError("a site that is none")
    if not isinstance(name, str):
        raise ValueError("a site that is none")
    return Site(line, kind, space, name, *counts)


def _are_counts(values: Sequence[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)
