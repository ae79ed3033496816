// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// What wraps around by definition: unsigned hashes, atomics on int, __mul24 and warp sums.
#include <cuda_runtime.h>

__global__ void hash(const float* x, float* out, int* total) {
  int t = threadIdx.x;
  unsigned h = 2166136261u;
  for (int i = 0; i < 9; i++) h = (h ^ (unsigned)(t * i)) * 16777619u;
  atomicAdd(total, 0x7fffffff);
  atomicSub(total, (int)(h >> 1));
  int product = __mul24(t * 1000, 100000);
  int sum = __reduce_add_sync(0xffffffff, 0x7fffffff);
  int bin = ((t - 128) % 7 + 7) % 7;
  out[t] = sum == -32 && bin >= 0 && product == (int)(t * 100000000u) ? x[t] : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int* total;
  cudaMalloc(&total, sizeof(int));
  cudaMemsetAsync(total, 0, sizeof(int), stream);
  hash<<<1, n, 0, stream>>>(x, out, total);
  cudaFree(total);
  return cudaGetLastError();
}
