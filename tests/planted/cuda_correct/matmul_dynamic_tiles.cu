// VALUES: matmul
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 576
// Both tiles in one dynamic array, and a struct for the sizes (n = m * m).
#include <cuda_runtime.h>

struct Sizes {
  int m, tile;
};

__global__ void matmul(const float* a, const float* b, float* c, Sizes s) {
  extern __shared__ float shared[];
  float *as = shared, *bs = shared + s.tile * s.tile;
  int tx = threadIdx.x, ty = threadIdx.y, at = ty * s.tile + tx;
  int row = blockIdx.y * s.tile + ty, col = blockIdx.x * s.tile + tx;
  float sum = 0;
  for (int k = 0; k < s.m; k += s.tile) {
    as[at] = a[row * s.m + k + tx];
    bs[at] = b[(k + ty) * s.m + col];
    __syncthreads();
    for (int j = 0; j < s.tile; j++) sum += as[ty * s.tile + j] * bs[j * s.tile + tx];
    __syncthreads();
  }
  c[row * s.m + col] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  Sizes s{24, 8};
  matmul<<<dim3(3, 3), dim3(8, 8), 2 * 8 * 8 * sizeof(float), stream>>>(x, x, out, s);
  return cudaGetLastError();
}
