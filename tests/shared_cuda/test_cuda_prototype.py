"""Reading declarations."""

from __future__ import annotations

import pytest

from shared.cuda.prototype import PrototypeError, arguments, header, parse

GELU = "int gelu(const float* x, float *out, int64_t num_elements, cudaStream_t stream)"


def test_reads_names_and_types() -> None:
    prototype = parse(GELU)
    assert (prototype.returns, prototype.name) == ("int", "gelu")
    x, out, count, stream = prototype.parameters
    assert (x.type, x.is_pointer, x.is_const, x.is_output) == ("float", True, True, False)
    assert (out.name, out.is_output) == ("out", True)
    assert (count.type, count.is_pointer, count.is_output) == ("int64_t", False, False)
    assert arguments(prototype) == (x, out, count)
    assert stream.type == "cudaStream_t"


def test_reads_extern_c_layout_and_no_parameters() -> None:
    spaced = GELU.replace("float *out", "float\n  * out /* result */")
    assert parse(f'extern "C" {spaced};') == parse(GELU)
    assert parse("int f(void)").parameters == ()
    assert parse("int f()").parameters == ()
    assert str(parse(GELU)) == GELU.replace("float *out", "float* out")


def test_const_after_the_star_is_still_an_output() -> None:
    assert parse("int f(float* const x)").parameters[0].is_output
    assert not parse("int f(float const* x)").parameters[0].is_output


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("gelu", "not a declaration"),
        ("void f(int n)", "must return int"),
        ("int f(std::vector x)", "not a parameter"),
        ("int f(size_t n)", "size_t is not supported"),
        ("int f(float** x)", "pointer to a pointer"),
        ("int f(half x)", "only be passed by pointer"),
        ("int f(float)", "not a parameter"),
        ("int f(int a, int a)", "two parameters of one name"),
        ("int f(cudaStream_t s, int n)", "must be the last"),
    ],
)
def test_refuses(declaration: str, message: str) -> None:
    with pytest.raises(PrototypeError, match=message):
        parse(declaration)


def test_header_includes_what_the_types_need() -> None:
    assert "cuda_fp16" not in header([parse(GELU)])
    text = header([parse("int f(half* x)"), parse("int g(__nv_bfloat16* x)")])
    assert "cuda_fp16.h" in text
    assert "cuda_bf16.h" in text
    assert 'extern "C"' in text
