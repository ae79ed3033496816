"""Attention: inputs, the value to compare with, and what an ideal kernel moves."""

import functools
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from shared.cost import Cost
from shared.tolerance import Tolerance

Inputs = tuple[torch.Tensor, torch.Tensor, torch.Tensor, bool]

BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""In this order: the second is for GPUs that the first does not know, the third for CPUs without it."""


def make_inputs(
    make,
    batch: int,
    heads: int,
    length: int,
    head_dim: int,
    causal: bool = False,
    k_len: int = 0,
    dtype: str = "float16",
) -> Inputs:
    """Normal values; as many keys as queries unless `k_len` says otherwise."""
    lengths = length, k_len or length, k_len or length
    q, k, v = (make.randn(batch, heads, n, head_dim, dtype=getattr(torch, dtype)) for n in lengths)
    return q, k, v, causal


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """The formula, in the inputs' dtype."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """The formula in float64, head after head: the scores of all of them would not fit into memory."""
    heads = zip(*(t.to(torch.float64).flatten(0, 1) for t in (q, k, v)), strict=True)
    return torch.stack([attention(*head, causal) for head in heads]).reshape(q.shape)


def variant(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """With weights that are rounded to 16 bits before they meet v, as tensor cores need them: must pass."""
    wide_q, wide_k = q.to(torch.float32), k.to(torch.float32)
    scores = wide_q @ wide_k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores += torch.full(scores.shape[-2:], float("-inf")).triu(1)
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    out = weights.to(q.dtype).to(torch.float32) @ v.to(torch.float32)
    return (out / weights.sum(dim=-1, keepdim=True)).to(q.dtype)


def tolerance(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> Tolerance:
    """One step of the dtype for the rounding at the end, and half a step of each weight for its rounding before.

    All weights' half steps together are at most half an eps times the weighted sum of |v|; a tenth more is for float32.
    """
    limits = torch.finfo(q.dtype)
    sizes = baseline(q, k, v.abs(), causal).to(torch.float32)
    return Tolerance(rtol=limits.eps, atol=0.55 * limits.eps * sizes + limits.smallest_normal * limits.eps)


def baseline(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """What speed is compared with: the kernels after which this exercise is named, where they are."""
    with sdpa_kernel(BACKENDS, set_priority=True):
        return scaled_dot_product_attention(q, k, v, is_causal=causal)


def eager(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """The formula with all scores in memory, in float32: scores of 16 bits are no weights of 16 bits."""
    return attention(q.to(torch.float32), k.to(torch.float32), v.to(torch.float32), causal).to(q.dtype)


def compiled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """The formula, as far as torch fuses it."""
    return _compiled()(q, k, v, causal)


@functools.cache
def _compiled():
    return torch.compile(eager)


def cost(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> Cost:
    """Each tensor crosses the memory once; two products, of which causal attention needs half."""
    num_bytes = (2 * q.numel() + k.numel() + v.numel()) * q.element_size()
    num_flops = 4 * q.numel() * k.shape[2]
    return Cost(num_bytes=num_bytes, num_flops=num_flops // 2 if causal else num_flops)
