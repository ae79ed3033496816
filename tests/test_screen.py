"""The screen counts what a full comparison would call wrong; in a process of its own, since it is a Triton kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

SCRIPT = """
import torch
from grader.testing.expect import passing
from grader.timing.screen import count_far
from shared.tolerance import Tolerance

def far(out, ref, tolerance):
    count = torch.zeros(1, dtype=torch.int32)
    count_far(out, ref, tolerance, count)
    return int(count)

torch.manual_seed(0)
for shape in ((5000,), (70, 130), (3, 40, 50), (1, 1), (0, 4), ()):
    ref = torch.randn(shape)
    rows = ref.abs().amax(-1, keepdim=True) if ref.numel() and ref.dim() else torch.tensor(1.0)
    for atol in (1e-3, 1e-3 * rows, 1e-3 * torch.rand(shape)):
        tolerance = Tolerance(1e-3, atol)
        out = ref + 4e-3 * torch.randn(shape)
        assert far(out, ref, tolerance) == int((~passing(out, ref, tolerance)).sum()), shape
        assert far(ref, ref, Tolerance(0.0, 0.0)) == 0

x = torch.randn(33, 65)
assert far(x.t(), x.t().contiguous(), Tolerance(0.0, 0.0)) == 0, "whatever the strides"
assert far(torch.full((9,), float("nan")), torch.zeros(9), Tolerance(1.0, 1.0)) == 9, "NaN is far"
inf = torch.full((9,), float("inf"))
assert far(inf, inf, Tolerance(0.0, 0.0)) == 0
assert far(-inf, inf, Tolerance(1.0, 1.0)) == 9
half = torch.randn(1000).half()
assert far(half, half, Tolerance(0.0, 0.0)) == 0
"""


def test_the_screen_counts_what_a_full_comparison_calls_wrong(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    env = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, str(script)], check=True, env=env)
