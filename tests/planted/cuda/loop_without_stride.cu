// EXPECTED: timeout
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// In block 0 the stride of the loop is 0.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockIdx.x * blockDim.x)
    out[i] = 2 * x[i];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<2, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
