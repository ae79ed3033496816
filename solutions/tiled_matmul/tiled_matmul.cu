// C = A · B in CUDA, with tiles in shared memory. See README.md.
#include <cuda_runtime.h>

#include <cstdint>

// One block computes TILE x TILE elements of C and goes along K in steps of DEPTH. A thread computes
// PER_THREAD x PER_THREAD of them: 2 * PER_THREAD loads from shared memory feed PER_THREAD² multiply-adds.
// With one element a thread it would be two loads for one, and shared memory would set the pace.
constexpr int TILE = 64;
constexpr int DEPTH = 32;
constexpr int PER_THREAD = 4;
constexpr int SIDE = TILE / PER_THREAD;  // threads along each side of the tile
constexpr int NUM_THREADS = SIDE * SIDE;

__global__ void __launch_bounds__(NUM_THREADS)
    matmul_kernel(const float* a, const float* b, float* c, int M, int N, int K) {
  // A's tile is kept with k first, so that the inner loop walks both tiles alike. A warp stores the 32 k
  // of one row; the extra column puts them into 32 different banks.
  __shared__ float a_tile[DEPTH][TILE + 1];
  __shared__ float b_tile[DEPTH][TILE];

  // One row of blocks instead of a 2-D grid, whose second dimension ends at 65,535.
  int tiles_along_n = (N - 1) / TILE + 1;
  int first_row = blockIdx.x / tiles_along_n * TILE;
  int first_col = blockIdx.x % tiles_along_n * TILE;
  int thread_row = threadIdx.x / SIDE, thread_col = threadIdx.x % SIDE;

  float sums[PER_THREAD][PER_THREAD] = {};
  for (int first_k = 0; first_k < K; first_k += DEPTH) {
    // Consecutive threads read consecutive addresses: along k in A, along the columns in B. What lies
    // outside becomes 0 and adds nothing to any sum, so the loop below needs no conditions.
    for (int i = threadIdx.x; i < TILE * DEPTH; i += NUM_THREADS) {
      int row = first_row + i / DEPTH, k = first_k + i % DEPTH;
      // 64 bits: row * K passes 2^31 in a matrix of more than 8 GB.
      a_tile[i % DEPTH][i / DEPTH] = row < M && k < K ? a[(int64_t)row * K + k] : 0.0f;
    }
    for (int i = threadIdx.x; i < DEPTH * TILE; i += NUM_THREADS) {
      int k = first_k + i / TILE, col = first_col + i % TILE;
      b_tile[i / TILE][i % TILE] = k < K && col < N ? b[(int64_t)k * N + col] : 0.0f;
    }
    __syncthreads();  // nobody reads before both tiles are complete

#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      // A thread's rows and columns are SIDE apart, not side by side: a warp then reads 16 neighbours
      // of b_tile at a time, in 16 banks, and writes 16 neighbours of C.
      float column[PER_THREAD], row[PER_THREAD];
#pragma unroll
      for (int i = 0; i < PER_THREAD; i++) {
        column[i] = a_tile[k][thread_row + i * SIDE];
        row[i] = b_tile[k][thread_col + i * SIDE];
      }
#pragma unroll
      for (int i = 0; i < PER_THREAD; i++) {
#pragma unroll
        for (int j = 0; j < PER_THREAD; j++) sums[i][j] += column[i] * row[j];
      }
    }
    __syncthreads();  // nobody overwrites a tile that another thread still reads
  }

  // Threads outside of C came all the way: they loaded elements for others and had to reach the barriers.
  for (int i = 0; i < PER_THREAD; i++) {
    for (int j = 0; j < PER_THREAD; j++) {
      int row = first_row + thread_row + i * SIDE, col = first_col + thread_col + j * SIDE;
      if (row < M && col < N) c[(int64_t)row * N + col] = sums[i][j];
    }
  }
}

// C (M x N) = A (M x K) · B (K x N), all row-major. Returns 0, or the error of the launch.
extern "C" int matmul(const float* a, const float* b, float* c, int M, int N, int K,
                      cudaStream_t stream) {
  // A grid of no blocks is an error. K = 0 is none: the sums stay 0 and are written.
  if (M == 0 || N == 0) return cudaSuccess;
  unsigned num_blocks = ((M - 1) / TILE + 1u) * ((N - 1) / TILE + 1u);
  matmul_kernel<<<num_blocks, NUM_THREADS, 0, stream>>>(a, b, c, M, N, K);
  return cudaGetLastError();
}
