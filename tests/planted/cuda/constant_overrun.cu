// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 200
// A filter of five weights is read with six.
#include <cuda_runtime.h>

__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

__global__ void filter(const float* x, float* out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= width; k++)
    if (i + k < n) sum += weights[k] * x[i + k];  // BUG
  out[i] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  filter<<<2, 128, 0, stream>>>(x, out, n, 5);
  return cudaGetLastError();
}
