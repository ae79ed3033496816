// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// A fifth value goes into an array of four, over the member behind it.
#include <cuda_runtime.h>

struct Window {
  float values[4];
  float sum;
};

__global__ void window(const float* x, float* out, int n, int width) {
  Window w;
  w.sum = 0;
  int i = threadIdx.x;
  for (int k = 0; k < width; k++) w.values[k] = x[(i + k) % n];  // BUG
  for (int k = 0; k < 4; k++) w.sum += w.values[k];
  out[i] = w.sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  window<<<1, 64, 0, stream>>>(x, out, n, 5);
  return cudaGetLastError();
}
