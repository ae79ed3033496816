// VALUES: sum
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// A tree in shared memory, whose last warp uses __syncwarp, and a second launch for the blocks.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 32; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d >>= 1) {
      s[t] = v;
      __syncwarp();
      v += s[(t + d) % 32];
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = v;
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* partial;
  int blocks = (n + 255) / 256;
  if (cudaMalloc(&partial, blocks * sizeof(float)) != cudaSuccess) return 1;
  sum_kernel<<<blocks, 256, 0, stream>>>(x, partial, n);
  sum_kernel<<<1, 256, 0, stream>>>(partial, out, blocks);
  cudaFreeAsync(partial, stream);
  return cudaGetLastError();
}
