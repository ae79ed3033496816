// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// Threads that read and write a byte of their own, four to a word: neighbours, and no race.
#include <cuda_runtime.h>

__global__ void fill(const float* x, signed char* bytes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bytes[i] = (signed char)(int)(x[i] * 100);
}

__global__ void add_one(signed char* bytes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bytes[i] = bytes[i] + 1;
}

__global__ void compare(const float* x, const signed char* bytes, float* out, int n) {
  __shared__ bool is_same[33];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  is_same[threadIdx.x] = false;
  if (bytes[i] == (int)(x[i] * 100) + 1) is_same[threadIdx.x] = true;
  out[i] = is_same[threadIdx.x] ? x[i] : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  signed char* bytes;
  cudaMalloc(&bytes, n);
  int num_blocks = (n + 32) / 33;
  fill<<<num_blocks, 33, 0, stream>>>(x, bytes, n);
  add_one<<<num_blocks, 33, 0, stream>>>(bytes, n);
  compare<<<num_blocks, 33, 0, stream>>>(x, bytes, out, n);
  cudaFree(bytes);
  return cudaGetLastError();
}
