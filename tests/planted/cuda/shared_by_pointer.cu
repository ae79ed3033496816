// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A pointer into a shared array is moved past its end.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* out) {
  __shared__ float buffer[256];
  float* mine = buffer + threadIdx.x;
  *mine = x[threadIdx.x];
  __syncthreads();
  const float* end = buffer + blockDim.x;
  out[threadIdx.x] = *(end - (int)threadIdx.x);  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
