// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 300
// The first thread reads the element before the first.
#include <cuda_runtime.h>

__global__ void blur(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int d = -1; d <= 1; d += 2)
    if (i + d < n) sum += x[i + d];  // BUG
  out[i] = sum / 3;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  blur<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
