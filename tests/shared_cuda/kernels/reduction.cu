#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* out, int n) {
  __shared__ float partial[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  partial[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) partial[t] += partial[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, partial[0]);
}

extern "C" int sum(const float* x, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  sum_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
