// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// There is room for the partial sums of 8 warps, and there are 32.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out, int n) {
  __shared__ float partial[8];
  float v = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;  // BUG
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 0; w < blockDim.x / 32; w++) out[w] = partial[w % 8];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 1024, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
