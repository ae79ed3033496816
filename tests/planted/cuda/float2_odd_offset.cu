// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 513
// A float2 is stored at an odd element.
#include <cuda_runtime.h>

__global__ void pairs(const float* x, float* out, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (i == 1) out[0] = x[0];
  if (i + 1 < n) *(float2*)(out + i) = make_float2(x[i], x[i + 1]);  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  pairs<<<2, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
