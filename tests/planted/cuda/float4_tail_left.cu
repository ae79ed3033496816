// EXPECTED: unwritten
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1003
// The last three elements are in no float4.
#include <cuda_runtime.h>

__global__ void twice(const float4* x, float4* out, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;  // BUG
  float4 v = x[i];
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<2, 128, 0, stream>>>((const float4*)x, (float4*)out, n / 4);
  return cudaGetLastError();
}
