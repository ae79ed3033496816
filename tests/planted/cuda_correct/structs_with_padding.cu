// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Structs are copied whole: their padding, and a w that nobody uses, are read too.
#include <cuda_runtime.h>

struct Entry {
  char tag;
  double value;
  short index;
};

__global__ void reverse_twice(const float* x, float* out, int n) {
  __shared__ Entry entries[256];
  __shared__ float4 points[256];
  int t = threadIdx.x;
  entries[t].tag = 'a';
  entries[t].value = x[t];
  entries[t].index = t;
  points[t].x = points[t].y = points[t].z = x[t];
  __syncthreads();
  Entry entry = entries[n - 1 - t];
  float4 point = points[entry.index];
  out[entry.index] = entry.value == point.z && entry.tag == 'a' ? point.x : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse_twice<<<1, n, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
