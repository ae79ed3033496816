// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 70000
// Rows along grid.y, of which there may be 65535.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out) { out[blockIdx.y] = 2 * x[blockIdx.y]; }

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<dim3(1, n), 1, 0, stream>>>(x, out);  // BUG
  return cudaGetLastError();
}
