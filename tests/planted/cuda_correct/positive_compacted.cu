// VALUES: positive
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 400
// Positions are given out by an atomic counter: their order is nobody's business.
#include <cuda_runtime.h>

__global__ void compact(const float* x, float* kept, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned voters = __ballot_sync(0xffffffff, i < n && x[i] > 0);
  int lane = threadIdx.x % 32, base = 0;
  if (lane == 0 && voters) base = atomicAdd(count, __popc(voters));
  base = __shfl_sync(0xffffffff, base, 0);
  if (voters >> lane & 1) kept[base + __popc(voters & ((1u << lane) - 1))] = x[i];
}
__global__ void check(const float* kept, const int* count, float* out) {
  bool right = true;
  for (int i = 0; i < *count; i++) right = right && kept[i] > 0;
  *out = right ? *count : -1;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* kept;
  int* count;
  cudaMalloc((void**)&kept, n * sizeof(float));
  cudaMalloc((void**)&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  compact<<<(n + 63) / 64, 64, 0, stream>>>(x, kept, count, n);
  check<<<1, 1, 0, stream>>>(kept, count, out);
  cudaStreamSynchronize(stream);
  cudaFree(kept);
  return cudaFree(count);
}
