// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A maximum of floats by atomicCAS, as in the programming guide: what the first load gives is only a guess.
#include <cuda_runtime.h>

__device__ void atomic_max(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits;
  while (__int_as_float(old) < value) {
    int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}

__global__ void copy(const float* x, float* out) {
  __shared__ float most;
  int t = threadIdx.x;
  if (t == 0) most = -2;
  __syncthreads();
  atomic_max(&most, x[t]);
  __syncthreads();
  out[t] = x[t] <= most && most < 1 ? x[t] : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  copy<<<1, n, 0, stream>>>(x, out);
  return cudaGetLastError();
}
