// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 100
// The launcher copies as many doubles as there are floats.
#include <cuda_runtime.h>

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  return cudaMemcpyAsync(out, x, n * sizeof(double), cudaMemcpyDeviceToDevice, stream);  // BUG
}
