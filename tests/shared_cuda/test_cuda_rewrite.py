"""CUDA text into C++ text, and the features that only a GPU has."""

from __future__ import annotations

import pytest

from shared.cuda.rewrite import RewriteError, UnreadableError, rewrite, unsupported
from tests.shared_cuda.conftest import KERNELS


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.cu")), ids=lambda path: path.name)
def test_keeps_the_line_numbers(path: object) -> None:
    text = path.read_text()  # type: ignore[attr-defined]
    after = rewrite(text, "k.cu").split("\n")[1:]
    before = text.split("\n")
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        if "<<<" not in old and "__shared__" not in old and "cudaFuncSet" not in old:
            assert new.lstrip().startswith(old.strip()[:1])


@pytest.mark.parametrize(
    ("launch", "call"),
    [
        ("k<<<1, 2>>>(x)", "k(cuda_emulator_values...)"),
        ("a::b::k <float, 3> <<<1, 2>>> (x)", "a::b::k <float, 3>(cuda_emulator_values...)"),
        ("k<A<B<1>>><<<1, 2>>>(x)", "k<A<B<1>>>(cuda_emulator_values...)"),
        ("(*f)<<<1, 2>>>(x)", "(*f)(cuda_emulator_values...)"),
        ("table[i + 1]<<<1, 2>>>(x)", "table[i + 1](cuda_emulator_values...)"),
        ("S<int>::k<<<1, 2>>>(x)", "S<int>::k(cuda_emulator_values...)"),
        ("else ::a::k<<<1, 2>>>(x)", "{ ::a::k(cuda_emulator_values...)"),
        ("s->f<<<1, 2>>>(x)", "s->f(cuda_emulator_values...)"),
    ],
)
def test_finds_the_kernel_of_a_launch(launch: str, call: str) -> None:
    text = rewrite(f"if (a < b) {launch};", "k.cu").replace("else ", "")
    assert call in text
    assert "<<<" not in text
    assert text.splitlines()[1].startswith("if (a < b) ::cuda_emulator::launch(")


def test_rewrites_several_declarators() -> None:
    text = rewrite("__shared__ __align__(16) float a[N << 1][M + 1], b;", "k.cu")
    assert "typedef float a_shared_type[N << 1][M + 1], b_shared_type;" in text.replace("  ", " ")
    assert '"b"' in text


def test_leaves_strings_and_comments_alone() -> None:
    text = '// __shared__ a<<<1>>>\nconst char* s = "k<<<1>>>(x)";'
    assert rewrite(text, "k.cu").endswith(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\nk<<<1, 2>>>;", 2),
        ("k<<<1, 2(x);", 1),
        ("<<<1, 2>>>(x);", 1),
        ("k<<<1, 2>>>(x;", 1),
        ("\n\n__shared__ float x = 0;", 3),
    ],
)
def test_refuses_what_is_no_cuda(text: str, line: int) -> None:
    with pytest.raises(RewriteError) as caught:
        rewrite(text, "k.cu")
    assert caught.value.line == line
    assert not isinstance(caught.value, UnreadableError)


def test_does_not_guess() -> None:
    for text in ("__shared__ float (*p)[4];", "float __shared__ x[4];"):
        with pytest.raises(UnreadableError):
            rewrite(text, "k.cu")


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ('asm volatile("nop;");', "inline PTX"),
        ("#include <mma.h>", "mma.h"),
        ("#include <cub/cub.cuh>", "cub/cub.cuh"),
        ("#include <torch/extension.h>", "torch/extension.h"),
        ("cuda::barrier<x> b;", "libcu"),
        ("nvcuda::wmma::fragment f;", "wmma"),
        ("thrust::sort(a, b);", "Thrust"),
        ("tex2D<float>(t, x, y);", "textures"),
        ("cg::this_grid().sync();", "grid-wide"),
        ("#define LAUNCH(k) k<<<1, 1>>>()", "inside a macro"),
    ],
)
def test_names_what_needs_a_gpu(text: str, feature: str) -> None:
    found = unsupported(f"// asm\n{text}\n")
    assert found[0][0] == 2
    assert feature in found[0][1]


def test_ordinary_files_need_no_gpu() -> None:
    for path in KERNELS.glob("*.cu"):
        assert unsupported(path.read_text()) == []
    assert unsupported("int cuda = 1, cub = cuda; // wmma\n") == []
