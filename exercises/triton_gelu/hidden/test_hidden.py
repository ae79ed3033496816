"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, x):
    expect(submission.triton_gelu(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("shape", [(0,), (), (1,), (31,), (1023,), (1025,), (4099,), (3, 0, 5), (7, 11, 13), (70_001,)])
def test_shapes(submission, make, expect, reference, shape):
    """no element, one, sizes around 1024, a prime, several dimensions, many programs"""
    compare(submission, expect, reference, make.randn(*shape))


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["transposed", "every second column", "padded", "sliced", "one row for all"])
def test_views(submission, make, expect, reference, layout):
    """views: a transpose, every second column, padding between rows, a slice, one row repeated without a copy"""
    x = make.randn(37, 50)
    views = {
        "transposed": x.T,
        "every second column": x[:, ::2],
        "padded": make.padded(x, padding=13),
        "sliced": x[5:30, 3:40],
        "one row for all": x[0].expand(37, 50),
    }
    compare(submission, expect, reference, views[layout])


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32], ids=["float16", "bfloat16", "float32"]
)
def test_dtypes(submission, make, expect, reference, dtype):
    """each floating-point type, computed in float32 and rounded once"""
    compare(submission, expect, reference, make.randn(3, 1001, dtype=dtype, scale=2.0))


@pytest.mark.points(2)
@pytest.mark.parametrize("largest", [10.5, 20.0, 88.0, 1e4, 1e30, 1e-4, 1e-30], ids=lambda v: f"{v:g}")
def test_extreme_values(submission, make, expect, reference, largest):
    """values where exp or the cube overflows, and values so small that GeLU is x/2"""
    ends = torch.tensor([largest, -largest, 0.0, -0.0])
    x = torch.cat([ends, make.uniform(96, low=-largest, high=largest)])
    compare(submission, expect, reference, x)


@pytest.mark.points(0)
@pytest.mark.needs(device="cuda", gpu_gb=12, host_gb=40)
@pytest.mark.call_limit(180)
def test_beyond_two_to_the_31(submission, make, expect, reference):
    """more than 2**31 elements, where a 32-bit offset no longer counts (GPU only, no points)"""
    num_elements = 2**31 + 5000
    parts = [slice(0, 4096), slice(2**31 - 2048, 2**31 + 2048), slice(num_elements - 4096, num_elements)]
    x = torch.zeros(num_elements, dtype=torch.float16)
    for part in parts:
        x[part] = make.randn(x[part].numel(), dtype=torch.float16)
    y = submission.triton_gelu(x)
    for part in parts:
        ref, allowed = reference.reference(x[part]), reference.tolerance(x[part])
        near = (y[part] - ref).abs() <= allowed.atol + allowed.rtol * ref.abs()
        expect.that(
            bool(near.all()),
            found=f"{int((~near).sum())} of {near.numel()} elements from {part.start} on wrong",
            expected="the same values as in a small tensor",
            hint="Are the offsets computed in 64 bits, every factor of them?",
        )
