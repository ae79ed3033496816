// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// malloc, new and delete in a kernel, and a virtual function of what is there.
#include <cuda_runtime.h>

struct Shape {
  __device__ virtual float of(float v) const = 0;
  __device__ virtual ~Shape() {}
};

struct Same : Shape {
  float factor = 1;
  __device__ float of(float v) const override { return v * factor; }
};

__global__ void copy(const float* x, float* out) {
  int t = threadIdx.x;
  float* a = (float*)malloc(8 * sizeof(float));
  float* b = new float[4];
  for (int i = 0; i < 8; i++) a[i] = x[t];
  b[t % 4] = a[t % 8];
  Shape* shape = new Same;
  out[t] = shape->of(b[t % 4]);
  delete shape;
  delete[] b;
  free(a);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  copy<<<1, n, 0, stream>>>(x, out);
  return cudaGetLastError();
}
