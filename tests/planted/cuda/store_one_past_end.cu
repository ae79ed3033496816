// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// One store goes to the element behind the last one.
#include <cuda_runtime.h>

__global__ void shift(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) out[0] = 0.0f;
  if (i < n) out[i + 1] = x[i];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  shift<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
