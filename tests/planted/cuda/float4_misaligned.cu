// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// A float4 is read at every element, also where its address is no multiple of 16.
#include <cuda_runtime.h>

__global__ void window(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 3 >= n) {
    if (i < n) out[i] = 0;
    return;
  }
  float4 v = *reinterpret_cast<const float4*>(x + i);  // BUG
  out[i] = v.x + v.y + v.z + v.w;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  window<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
