// EXPECTED: timeout
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A search whose interval does not shrink once it has one element.
#include <cuda_runtime.h>

__global__ void search(const float* x, float* out, int n) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (x[middle] < 2.0f)  // BUG
      low = middle;
    else
      high = middle;
  }
  out[threadIdx.x] = low;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  search<<<1, 256, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
