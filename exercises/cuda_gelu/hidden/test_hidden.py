"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, x, out):
    submission.gelu(x, out, x.numel())
    expect(out, reference.reference(x), dtype=torch.float32, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_elements", [0, 1, 3, 31, 1023, 1024, 1025, 4099, 270_001])
def test_sizes(submission, make, expect, reference, num_elements):
    """no element, one, sizes around 1024, a prime, more than a thousand blocks"""
    compare(submission, expect, reference, make.randn(num_elements), make.unwritten(num_elements))


@pytest.mark.points(2)
@pytest.mark.parametrize("values", ["around 10", "20", "88", "ten thousand", "1e30", "small", "tiny"])
def test_extreme_values(submission, make, expect, reference, values):
    """values where exp or the cube overflows, and values so small that GELU is x/2"""
    largest = {
        "around 10": 10.5,
        "20": 20.0,
        "88": 88.0,
        "ten thousand": 1e4,
        "1e30": 1e30,
        "small": 1e-4,
        "tiny": 1e-30,
    }[values]
    ends = torch.tensor([largest, -largest, 0.0, -0.0])
    x = torch.cat([ends, make.uniform(96, low=-largest, high=largest)])
    compare(submission, expect, reference, x, make.unwritten(x.numel()))


@pytest.mark.points(2)
@pytest.mark.parametrize(("x_shift", "out_shift"), [(1, 0), (0, 1), (1, 1), (2, 3)])
def test_addresses(submission, make, expect, reference, x_shift, out_shift):
    """pointers that are not aligned to 16 bytes, or only one of them"""
    x = make.shifted(make.randn(1030), x_shift)
    compare(submission, expect, reference, x, make.shifted(make.unwritten(1030), out_shift))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_elements", [5, 1000])
def test_neighbours(submission, make, expect, reference, num_elements):
    """part of a larger buffer: what lies before and behind the output stays as it is"""
    buffer = torch.full((num_elements + 3000,), 7.0)
    out = buffer[4 : 4 + num_elements].fill_(float("nan"))
    compare(submission, expect, reference, make.randn(num_elements), out)
    before, behind = buffer[:4], buffer[4 + num_elements :]
    changed = int((before != 7.0).sum()), int((behind != 7.0).sum())
    expect.that(
        changed == (0, 0),
        found=f"{changed[0]} elements changed before it, {changed[1]} behind it",
        expected="nothing to change outside of the output's num_elements elements",
        hint="Every thread computes an index; not every index has an element.",
    )


@pytest.mark.points(0)
@pytest.mark.needs(device="cuda", gpu_gb=20, host_gb=60)
@pytest.mark.call_limit(180)
def test_beyond_two_to_the_31(submission, make, expect, reference):
    """more than 2**31 elements, where a 32-bit index no longer counts (GPU only, no points)"""
    num_elements = 2**31 + 5000
    parts = [slice(0, 4096), slice(2**31 - 2048, 2**31 + 2048), slice(num_elements - 4096, num_elements)]
    x = torch.zeros(num_elements)
    for part in parts:
        x[part] = make.randn(x[part].numel())
    out = make.unwritten(num_elements)
    submission.gelu(x, out, num_elements)
    for part in parts:
        ref, allowed = reference.reference(x[part]), reference.tolerance(x[part])
        near = (out[part] - ref).abs() <= allowed.atol + allowed.rtol * ref.abs()
        expect.that(
            bool(near.all()),
            found=f"{int((~near).sum())} of {near.numel()} elements from {part.start} on wrong",
            expected="the same values as in a small buffer",
            hint="Is the index computed in 64 bits, every factor of it?",
        )
