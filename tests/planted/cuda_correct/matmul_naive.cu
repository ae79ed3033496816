// VALUES: matmul
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 841
// One thread an element, over a size that no block divides (n = m * m).
#include <cuda_runtime.h>

__global__ void matmul(const float* a, const float* b, float* c, int m) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= m) return;
  float sum = 0;
  for (int k = 0; k < m; k++) sum += a[row * m + k] * b[k * m + col];
  c[row * m + col] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int m = 29;
  dim3 block(8, 16), grid((m + block.x - 1) / block.x, (m + block.y - 1) / block.y);
  matmul<<<grid, block, 0, stream>>>(x, x, out, m);
  return cudaGetLastError();
}
