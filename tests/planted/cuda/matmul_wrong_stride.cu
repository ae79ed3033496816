// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// The rows of B are taken for one element longer than they are (n = m * m).
#include <cuda_runtime.h>

__global__ void matmul(const float* a, const float* b, float* c, int m) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; k++) sum += a[row * m + k] * b[k * (m + 1) + col];  // BUG
  c[row * m + col] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int m = 32;
  matmul<<<dim3(2, 2), dim3(16, 16), 0, stream>>>(x, x, out, m);
  return cudaGetLastError();
}
