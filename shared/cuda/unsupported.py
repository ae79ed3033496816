"""CUDA features that only a GPU has: found in the text, before it is compiled for the CPU."""

from __future__ import annotations

import re

from shared.cuda.tokens import Token, is_code, tokens

_NAMES = {
    "asm": "inline PTX",
    "__asm__": "inline PTX",
    "__asm": "inline PTX",
    "wmma": "tensor-core matrix operations (wmma)",
    "tex1D": "textures",
    "tex2D": "textures",
    "tex3D": "textures",
    "tex1Dfetch": "textures",
    "texture": "textures",
    "cudaTextureObject_t": "textures",
    "cudaSurfaceObject_t": "surfaces",
    "__pipeline_memcpy_async": "asynchronous copies",
    "memcpy_async": "asynchronous copies",
    "this_grid": "a grid-wide barrier",
    "this_cluster": "thread block clusters",
    "cudaLaunchCooperativeKernel": "a grid-wide barrier",
    "cudaLaunchKernelEx": "cudaLaunchKernelEx",
    "cudaLaunchKernelExC": "cudaLaunchKernelExC",
    "cudaGraphLaunch": "CUDA graphs",
    "coalesced_threads": "cooperative groups of coalesced threads",
}
_NAMESPACES = {"cuda": "libcu++ (cuda::)", "cub": "CUB", "thrust": "Thrust", "nvcuda": "wmma"}
_HEADERS = re.compile(
    r"#\s*include\s*[<\"]"
    r"(?P<path>(?:mma|cuda_pipeline|curand\w*|cublas\w*|cusparse\w*|cufft\w*|cudnn\w*|cuda_fp8)\.h"
    r"|(?:cub|thrust|cuda|cute|cutlass|torch|ATen|c10)/[^>\"]*)"
)


def unsupported(text: str) -> list[tuple[int, str]]:
    """Return (line, feature) for each use of a feature that is not emulated, in their order."""
    words = [token for token in tokens(text) if is_code(token)]
    found = []
    for token, following in zip(words, [*words[1:], Token("space", "", 0)], strict=True):
        reason = _reason(token, following)
        if reason is not None:
            found.append((token.line, reason))
    return found


def _reason(token: Token, following: Token) -> str | None:
    if token.kind == "directive":
        return _directive_reason(token.text)
    if token.kind != "name":
        return None
    if following.text == "::" and token.text in _NAMESPACES:
        return _NAMESPACES[token.text]
    return _NAMES.get(token.text)


def _directive_reason(text: str) -> str | None:
    header = _HEADERS.match(text.strip())
    if header is not None:
        return f"the header {header['path']}"
    if re.match(r"\s*#\s*define\b", text) is None:
        return None
    if "<<<" in text:
        return "a launch inside a macro"
    if "__shared__" in text:
        return "__shared__ inside a macro"
    return "inline PTX" if re.search(r"\b(asm|__asm__)\b", text) else None
