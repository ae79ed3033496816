#include <cfloat>
#include <cuda_runtime.h>

template <typename T>
__device__ T warp_max(T v) {
  for (int o = 16; o > 0; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}

__device__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return __shfl_sync(0xffffffff, v, 0);
}

template <typename T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    softmax_kernel(const T* __restrict__ x, T* __restrict__ out, int cols) {
  extern __shared__ T row[];
  __shared__ float partial[THREADS / 32];
  const T* in = x + (size_t)blockIdx.x * cols;
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    row[c] = in[c];
    m = fmaxf(m, row[c]);
  }
  m = warp_max(m);
  if (lane == 0) partial[warp] = m;
  __syncthreads();
  for (int i = 0; i < THREADS / 32; i++) m = fmaxf(m, partial[i]);
  __syncthreads();
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    row[c] = __expf(row[c] - m);
    s += row[c];
  }
  s = warp_sum(s);
  if (lane == 0) partial[warp] = s;
  __syncthreads();
  s = 0;
  for (int i = 0; i < THREADS / 32; i++) s += partial[i];
  for (int c = threadIdx.x; c < cols; c += THREADS) out[(size_t)blockIdx.x * cols + c] = row[c] / s;
}

extern "C" int softmax(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
  softmax_kernel<float, 128><<<rows, 128, cols * sizeof(float), stream>>>(x, out, cols);
  return (int)cudaGetLastError();
}
