// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Thread 0 makes the sum, and the others use it at once.
#include <cuda_runtime.h>

__global__ void share(const float* x, float* out) {
  __shared__ float values[128], total;
  int t = threadIdx.x;
  values[t] = x[t] * x[t];
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 128; i++) sum += values[i];
    total = sum;  // BUG
  }
  out[t] = values[t] / total;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  share<<<1, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
