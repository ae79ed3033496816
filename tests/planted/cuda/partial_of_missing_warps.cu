// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// 32 partial sums are read of a block that has only four warps.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
  __shared__ float partial[32];
  int t = threadIdx.x, lane = t % 32;
  float v = x[t];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (lane == 0) partial[t / 32] = v;
  __syncthreads();
  v = partial[lane];  // BUG
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  out[t] = v;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
