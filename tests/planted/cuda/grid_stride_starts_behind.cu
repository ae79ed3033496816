// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 5000
// The bound of a grid-stride loop is that of the loop before last.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - stride < n; i += stride)
    out[i] = 2 * x[i];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<4, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
