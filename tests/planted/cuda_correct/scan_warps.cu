// VALUES: scan
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// Prefix sums by shuffles in each warp, then over the sums of the warps.
#include <cuda_runtime.h>

__global__ void scan(const float* x, float* out, int n) {
  __shared__ float totals[32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float v = t < n ? x[t] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float left = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += left;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float total = totals[lane];
    for (int d = 1; d < 32; d *= 2) {
      float left = __shfl_up_sync(0xffffffff, total, d);
      if (lane >= d) total += left;
    }
    totals[lane] = total;
  }
  __syncthreads();
  if (t < n) out[t] = v + (warp > 0 ? totals[warp - 1] : 0.0f);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  scan<<<1, 1024, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
