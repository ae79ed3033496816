// VALUES: filter
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 500
// A filter in constant memory over a tile with a halo on both sides.
#include <cuda_runtime.h>

constexpr int R = 2, B = 64;
__constant__ float weights[2 * R + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

__global__ void filter(const float* x, float* out, int n) {
  __shared__ float tile[B + 2 * R];
  int t = threadIdx.x, base = blockIdx.x * B - R;
  for (int j = t; j < B + 2 * R; j += B) {
    int at = base + j;
    tile[j] = at >= 0 && at < n ? x[at] : 0.0f;
  }
  __syncthreads();
  int i = blockIdx.x * B + t;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * R; k++) sum += weights[k] * tile[t + k];
  out[i] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  filter<<<(n + B - 1) / B, B, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
