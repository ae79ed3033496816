// VALUES: positive
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// The lanes that are in a branch, by __activemask(), count as one.
#include <cuda_runtime.h>

__global__ void count(const float* x, int* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1;
    if (threadIdx.x % 32 == leader) atomicAdd(total, __popc(active));
  }
}

__global__ void store(const int* total, float* out) {
  out[0] = *total;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int* total;
  cudaMalloc(&total, sizeof(int));
  cudaMemsetAsync(total, 0, sizeof(int), stream);
  count<<<(n + 255) / 256, 256, 0, stream>>>(x, total, n);
  store<<<1, 1, 0, stream>>>(total, out);
  cudaFree(total);
  return cudaGetLastError();
}
