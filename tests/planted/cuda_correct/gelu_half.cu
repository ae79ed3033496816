// VALUES: gelu_half
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 512
// Through half: two elements at a time, computed in float.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void to_half(const float* x, half* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[i] = __float2half(x[i]);
}
__global__ void gelu(const half2* h, float2* out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float2 v = __half22float2(h[i]);
  float a = tanhf(0.7978845608f * (v.x + 0.044715f * v.x * v.x * v.x));
  float b = tanhf(0.7978845608f * (v.y + 0.044715f * v.y * v.y * v.y));
  out[i] = make_float2(0.5f * v.x * (1 + a), 0.5f * v.y * (1 + b));
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  half* h;
  cudaMalloc(&h, n * sizeof(half));
  to_half<<<(n + 127) / 128, 128, 0, stream>>>(x, h, n);
  gelu<<<(n / 2 + 127) / 128, 128, 0, stream>>>((const half2*)h, (float2*)out, n / 2);
  cudaStreamSynchronize(stream);
  return cudaFree(h);
}
