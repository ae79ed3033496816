// VALUES: softmax
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 700
// A warp a row of 100, four rows a block, the last block with rows to spare.
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void softmax(const float* x, float* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // whole warps: nobody waits for them
  float m = -CUDART_INF_F, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += warpSize) {
    float v = x[row * cols + c], old = m;
    m = fmaxf(m, v);
    s = s * __expf(old - m) + __expf(v - m);
  }
  for (int o = warpSize / 2; o > 0; o /= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, o), s2 = __shfl_xor_sync(0xffffffff, s, o);
    float both = fmaxf(m, m2);
    s = s * __expf(m - both) + s2 * __expf(m2 - both);
    m = both;
  }
  for (int c = threadIdx.x; c < cols; c += warpSize) out[row * cols + c] = __expf(x[row * cols + c] - m) / s;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int rows = n / 100;
  softmax<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, out, rows, 100);
  return cudaGetLastError();
}
