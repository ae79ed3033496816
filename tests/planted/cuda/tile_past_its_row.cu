// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// The last thread of a row reads one past the row of its tile.
#include <cuda_runtime.h>

__global__ void blur(const float* x, float* out) {
  __shared__ float tile[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = x[ty * 16 + tx];
  __syncthreads();
  out[ty * 16 + tx] = 0.5f * (tile[ty][tx] + tile[ty][tx + 1]);  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  blur<<<1, dim3(16, 16), 0, stream>>>(x, out);
  return cudaGetLastError();
}
