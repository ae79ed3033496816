// VALUES: sum
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 2000
// The block that finishes last, by an atomic counter, adds what the others have stored.
#include <cuda_runtime.h>

__device__ unsigned int finished;

__global__ void sum_kernel(const float* x, volatile float* partial, float* out, int n) {
  __shared__ float warps[4];
  __shared__ bool is_last;
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  if (t == 0) {
    partial[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
    __threadfence();
    is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    float total = 0;
    for (int b = 0; b < gridDim.x; b++) total += partial[b];
    out[0] = total;
    finished = 0;
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* partial;
  cudaMalloc(&partial, 5 * sizeof(float));
  sum_kernel<<<5, 128, 0, stream>>>(x, partial, out, n);
  cudaStreamSynchronize(stream);
  return cudaFree(partial);
}
