// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1002
// The last float4 of a length that is no multiple of four.
#include <cuda_runtime.h>

__global__ void twice(const float4* x, float4* out, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 v = x[i];  // BUG
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int quads = (n + 3) / 4;
  twice<<<(quads + 127) / 128, 128, 0, stream>>>((const float4*)x, (float4*)out, quads);
  return cudaGetLastError();
}
