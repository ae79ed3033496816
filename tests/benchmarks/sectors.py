"""What the CPU back end counts, against Nsight Compute on a GPU: `nox -s benchmark -- sectors`.

The kernels are those of `tests/planted/cuda_correct` and the CUDA solutions. Sectors of global memory must be equal:
points rest on them. Of shared memory the conflicts are compared, as turns for each that is needed: nvcc merges loads.
Without a GPU (`--here`) only what is counted here is shown.
"""

from __future__ import annotations

import argparse
import array
import csv
import io
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shared import machine
from shared.cuda import build, prototype
from shared.cuda.library import CpuLibrary, GpuLibrary
from shared.traffic import Traffic
from tests.planted import header

ROOT = Path(__file__).resolve().parents[2]
PLANTED = ROOT / "tests/planted/cuda_correct"
NAMES = {
    "loads": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "stores": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared loads": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared stores": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "load conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "store conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}
"""Of Nsight Compute."""


@dataclass(frozen=True)
class Job:
    """One launcher with its buffers, which hold so many floats, and its numbers."""

    path: Path
    declaration: str
    buffers: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Counts:
    """Of all kernels of a job."""

    loads: int
    stores: int
    load_ways: float  # turns of shared memory over those that are needed
    store_ways: float


def jobs() -> list[Job]:
    """Everything that is compared."""
    found = []
    for path in sorted(PLANTED.glob("*.cu")):
        head = header(path)
        count = int(head["N"])
        found.append(Job(path, head["RUN"], (count, count), (count,)))
    gelu = "int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream)"
    matmul = "int matmul(const float* a, const float* b, float* c, int M, int N, int K, cudaStream_t stream)"
    found.append(Job(ROOT / "solutions/cuda_gelu/cuda_gelu.cu", gelu, (1 << 20, 1 << 20), (1 << 20,)))
    found.append(Job(ROOT / "solutions/tiled_matmul/tiled_matmul.cu", matmul, (1 << 16,) * 3, (256,) * 3))
    return found


def floats(count: int) -> bytes:
    """Small numbers, the same for both sides."""
    return array.array("f", [((37 * i) % 201 - 100) / 128 for i in range(count)]).tobytes()


def counted(job: Job, folder: Path) -> Traffic:
    """What the CPU back end counts, in this process."""
    declared = [prototype.parse(job.declaration)]
    library = build.build_cpu(job.path.read_text("utf-8"), job.path.name, declared, folder, folder / "cache", 60)
    device = CpuLibrary(library, declared)
    addresses = []
    for number, count in enumerate(job.buffers):
        addresses.append(device.allocate(4 * count, f"buffer {number}", 4))
        device.write(addresses[-1], floats(count))
    device.count_traffic(True)
    code = device.call(declared[0].name, (*addresses, *job.numbers))
    fault = device.fault(job.path.name)
    if code or fault is not None:
        raise SystemExit(f"{job.path.name}: {code} {fault}")
    return device.traffic(job.path.name)


def here(traffic: Traffic) -> Counts:
    """The same sums that Nsight Compute gives."""

    def total(space: str, kind: str) -> tuple[int, int]:
        sites = [site for site in traffic.sites if (site.space, site.kind) == (space, kind)]
        return sum(site.transfers for site in sites), sum(site.ideal for site in sites)

    def ways(kind: str) -> float:
        turns, needed = total("shared", kind)
        return turns / needed if needed else 0.0

    return Counts(total("global", "load")[0], total("global", "store")[0], ways("load"), ways("store"))


def run_on_gpu(wanted: Sequence[Job]) -> None:
    """Call each launcher once on this GPU, with no kernel of anybody else."""
    from cuda.bindings import runtime

    def checked(result: tuple[object, ...]) -> object:
        if int(result[0]):  # type: ignore[call-overload]
            raise SystemExit(f"CUDA: {result[0]}")
        return result[1] if len(result) > 1 else None

    properties = checked(runtime.cudaGetDeviceProperties(0))
    architecture = f"sm_{properties.major}{properties.minor}"  # type: ignore[attr-defined]
    for job in wanted:
        declared = [prototype.parse(job.declaration)]
        folder = Path(tempfile.mkdtemp())
        path = build.build_gpu(job.path.read_text("utf-8"), job.path.name, declared, folder, architecture, 120)
        addresses = []
        for count in job.buffers:
            address = int(checked(runtime.cudaMalloc(4 * count)))  # type: ignore[call-overload]
            kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
            checked(runtime.cudaMemcpy(address, floats(count), 4 * count, kind))
            addresses.append(address)
        code = GpuLibrary(path, declared).call(declared[0].name, (*addresses, *job.numbers), 0)
        checked(runtime.cudaDeviceSynchronize())
        if code:
            raise SystemExit(f"{job.path.name}: error {code}")


def on_gpu(launches: Sequence[int]) -> list[Counts]:
    """What Nsight Compute reads of the jobs, which make so many launches each."""
    command = ["ncu", "--csv", "--print-units", "base", "--metrics", ",".join(NAMES.values())]
    command += [sys.executable, "-m", "tests.benchmarks.sectors", "--run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ncu ended with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    rows = list(csv.DictReader(io.StringIO("\n".join(r for r in done.stdout.splitlines() if r.startswith('"')))))
    kernels: dict[int, dict[str, float]] = {}
    for row in rows:
        kernels.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    ordered, found = [kernels[number] for number in sorted(kernels)], []
    if len(ordered) != sum(launches):
        raise SystemExit(f"Nsight Compute saw {len(ordered)} kernels, {sum(launches)} were launched here")
    for count in launches:
        found.append(summed(ordered[:count]))
        ordered = ordered[count:]
    return found


def summed(kernels: Sequence[dict[str, float]]) -> Counts:
    """One job's kernels."""

    def total(name: str) -> float:
        return sum(kernel.get(NAMES[name], 0.0) for kernel in kernels)

    def ways(kind: str) -> float:
        turns, conflicts = total(f"shared {kind}s"), total(f"{kind} conflicts")
        return turns / (turns - conflicts) if turns > conflicts else 0.0

    return Counts(int(total("loads")), int(total("stores")), ways("load"), ways("store"))


def main() -> None:
    """Print a table; exit 1 where sectors differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="without a GPU: what is counted here alone")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    wanted = jobs()
    if options.run:
        run_on_gpu(wanted)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        traffic = [in_a_process(job, folder) for job in wanted]
    ours = [here(each) for each in traffic]
    if options.here:
        print(table(wanted, [ours]))
        return
    theirs = on_gpu([each.launches for each in traffic])
    print(f"{machine.cuda_device_name(0)}: here / Nsight Compute\n\n{table(wanted, [ours, theirs])}")
    equal = sum((a.loads == b.loads) + (a.stores == b.stores) for a, b in zip(ours, theirs, strict=True))
    print(f"\n{equal} of {2 * len(ours)} readings of global memory are equal")
    raise SystemExit(0 if equal == 2 * len(ours) else 1)


def table(wanted: Sequence[Job], columns: Sequence[Sequence[Counts]]) -> str:
    """A row for each kernel, in Markdown; in each cell what each side counts."""
    lines = ["| kernel | sectors loaded | sectors stored | shared loads, n-way | shared stores, n-way |"]
    lines.append("|---|---|---|---|---|")
    for job, *sides in zip(wanted, *columns, strict=True):
        cells = [
            " / ".join(form(side) for side in sides)
            for form in (
                lambda c: f"{c.loads:,}",
                lambda c: f"{c.stores:,}",
                lambda c: f"{c.load_ways:.2f}",
                lambda c: f"{c.store_ways:.2f}",
            )
        ]
        lines.append(f"| {' | '.join([job.path.stem, *cells])} |")
    return "\n".join(lines)


def in_a_process(job: Job, folder: Path) -> Traffic:
    """One library a process: the runtime keeps its state in globals."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        own = Path(tempfile.mkdtemp(dir=folder))
        (own / "cache").symlink_to(folder)
        return pool.apply(counted, (job, own))


if __name__ == "__main__":
    main()
