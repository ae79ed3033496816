// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1001
// Each thread copies 16 bytes by memcpy; the last ones pass the end.
#include <cstring>
#include <cuda_runtime.h>

__global__ void copy(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 4 * i;
  if (at < n) memcpy(out + at, x + at, 4 * sizeof(float));  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  copy<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
