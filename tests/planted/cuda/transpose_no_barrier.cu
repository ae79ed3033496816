// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// The tile is read across before it is complete (n = m * m).
#include <cuda_runtime.h>

__global__ void transpose(const float* x, float* out, int m) {
  __shared__ float tile[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = x[(blockIdx.y * 16 + ty) * m + blockIdx.x * 16 + tx];  // BUG
  out[(blockIdx.x * 16 + ty) * m + blockIdx.y * 16 + tx] = tile[tx][ty];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  transpose<<<dim3(2, 2), dim3(16, 16), 0, stream>>>(x, out, 32);
  return cudaGetLastError();
}
