// VALUES: softmax
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// A block a row of 100, with shuffles in a warp and shared memory between warps.
#include <cfloat>
#include <cuda_runtime.h>

template <typename Op>
__device__ float block_reduce(float v, float neutral, Op op) {
  __shared__ float partial[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = lane < warps ? partial[lane] : neutral;
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();
  return v;
}

__global__ void softmax(const float* x, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float m = -FLT_MAX, s = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  m = block_reduce(m, -FLT_MAX, [](float a, float b) { return fmaxf(a, b); });
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(row[c] - m);
  s = block_reduce(s, 0.0f, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - m) / s;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  softmax<<<n / 100, 64, 0, stream>>>(x, out, 100);
  return cudaGetLastError();
}
