"""Softmax over rows that do not fit on the chip: each element is read twice and written once. See README.md."""

import torch
import triton
import triton.language as tl

# 16 elements for each of a program's 256 threads. A multiprocessor holds several such programs, so that the others
# load while one reduces.
BLOCK_SIZE = 4096
NUM_WARPS = 8
# A row is cut into chunks, a program each: also a single long row then fills the GPU. A chunk has a few tiles at
# least, so that a program has more to do than to begin; a row has so many chunks at most that every program of the
# second kernel can combine all of them at once.
LEAST_TILES = 4
MOST_CHUNKS = 256
# Where the running maximum begins. Not at -inf: in a tile of -inf only, exp(-inf - -inf) would be NaN, and
# exp(-inf - LOWEST) is 0.
LOWEST = tl.constexpr(torch.finfo(torch.float32).min)


@triton.jit
def chunk_kernel(
    x_ptr,
    maximum_ptr,
    total_ptr,
    x_row_stride,
    x_col_stride,
    num_cols,
    num_chunks,
    chunk_size,
    BLOCK_SIZE: tl.constexpr,
):
    """One pass over a chunk: its maximum, and the sum of exp(x - maximum)."""
    # 64 bits: row * stride, and a column of a wide transpose, pass 2**31 in a tensor of more elements.
    pid = tl.program_id(axis=0).to(tl.int64)
    row, chunk = pid // num_chunks, pid % num_chunks
    first = chunk * chunk_size

    maximum = tl.full((), LOWEST, tl.float32)
    # One partial sum for each lane: they are added up once, behind the loop, and not in every tile.
    totals = tl.zeros((BLOCK_SIZE,), tl.float32)
    for start in range(first, min(first + chunk_size, num_cols), BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        # A masked lane holds -inf: it is no maximum, and exp(-inf) = 0 adds nothing.
        x_ptrs = x_ptr + row * x_row_stride + cols * x_col_stride
        x = tl.load(x_ptrs, mask=cols < num_cols, other=float("-inf")).to(tl.float32)
        new_maximum = tl.maximum(maximum, tl.max(x, axis=0))
        # What has been summed so far was taken against the old maximum.
        totals = totals * tl.exp(maximum - new_maximum) + tl.exp(x - new_maximum)
        maximum = new_maximum

    tl.store(maximum_ptr + pid, maximum)
    tl.store(total_ptr + pid, tl.sum(totals, axis=0))


@triton.jit
def write_kernel(
    x_ptr,
    y_ptr,
    maximum_ptr,
    total_ptr,
    x_row_stride,
    x_col_stride,
    y_row_stride,
    num_cols,
    num_chunks,
    chunk_size,
    BLOCK_SIZE: tl.constexpr,
    CHUNKS_BLOCK: tl.constexpr,
):
    """The row's maximum and sum from those of its chunks, then the results of one chunk."""
    pid = tl.program_id(axis=0).to(tl.int64)
    row, chunk = pid // num_chunks, pid % num_chunks
    first = chunk * chunk_size

    # The same rescaling as from tile to tile. Every program of a row repeats it: a few numbers, from the L2 cache.
    chunks = tl.arange(0, CHUNKS_BLOCK)
    maxima = tl.load(maximum_ptr + row * num_chunks + chunks, mask=chunks < num_chunks, other=LOWEST)
    totals = tl.load(total_ptr + row * num_chunks + chunks, mask=chunks < num_chunks, other=0.0)
    maximum = tl.max(maxima, axis=0)
    # One division a program, not one an element. Some element is the maximum, so that the sum is 1 at least.
    factor = 1.0 / tl.sum(totals * tl.exp(maxima - maximum), axis=0)

    for start in range(first, min(first + chunk_size, num_cols), BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < num_cols
        x_ptrs = x_ptr + row * x_row_stride + cols * x_col_stride
        x = tl.load(x_ptrs, mask=mask, other=0.0).to(tl.float32)
        # The store rounds to the result's dtype, once.
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - maximum) * factor, mask=mask)


def chunks_of(num_cols: int) -> tuple[int, int]:
    """How many chunks a row is cut into, and how many columns each has (the last one perhaps fewer)."""
    num_tiles = triton.cdiv(num_cols, BLOCK_SIZE)
    chunk_size = BLOCK_SIZE * max(LEAST_TILES, triton.cdiv(num_tiles, MOST_CHUNKS))
    return triton.cdiv(num_cols, chunk_size), chunk_size


def online_softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension of a 2-D tensor, in a new tensor of the same shape and dtype."""
    num_rows, num_cols = x.shape
    num_chunks, chunk_size = chunks_of(num_cols)
    y = torch.empty((num_rows, num_cols), dtype=x.dtype, device=x.device)
    maximum = torch.empty((num_rows, num_chunks), dtype=torch.float32, device=x.device)
    total = torch.empty_like(maximum)

    # One dimension for rows and chunks: neighbouring programs then read neighbouring memory.
    grid = (num_rows * num_chunks,)
    chunk_kernel[grid](
        x,
        maximum,
        total,
        x.stride(0),
        x.stride(1),
        num_cols,
        num_chunks,
        chunk_size,
        BLOCK_SIZE=BLOCK_SIZE,
        num_warps=NUM_WARPS,
    )
    # No program can wait for another one, so that all chunks are done is known between two launches only.
    write_kernel[grid](
        x,
        y,
        maximum,
        total,
        x.stride(0),
        x.stride(1),
        y.stride(0),
        num_cols,
        num_chunks,
        chunk_size,
        BLOCK_SIZE=BLOCK_SIZE,
        CHUNKS_BLOCK=triton.next_power_of_2(num_chunks),
        num_warps=NUM_WARPS,
    )
    return y


def predict_programs(num_rows: int, num_cols: int) -> int:
    """How many programs all launches of one call have together."""
    num_chunks, _ = chunks_of(num_cols)
    return 2 * num_rows * num_chunks


def predict_bytes(num_rows: int, num_cols: int) -> int:
    """How many bytes the active lanes of all programs load and store together, for elements of float32."""
    num_chunks, _ = chunks_of(num_cols)
    # Two numbers of each chunk are written once, and read by all programs of the row.
    partial = 2 * num_chunks + 2 * num_chunks * num_chunks
    return 4 * num_rows * (3 * num_cols + partial)
