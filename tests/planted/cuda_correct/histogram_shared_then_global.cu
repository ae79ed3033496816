// VALUES: histogram
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1500
// Counts by atomics in shared memory, which are then added to those in global memory.
#include <cuda_runtime.h>

constexpr int BINS = 16;

__global__ void histogram(const float* x, float* bins, int n) {
  __shared__ int counts[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[min((int)((x[i] + 1) * 8), BINS - 1)], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (counts[b]) atomicAdd(&bins[b], (float)counts[b]);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, BINS * sizeof(float), stream);
  histogram<<<3, 96, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
