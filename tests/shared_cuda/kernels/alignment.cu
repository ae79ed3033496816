// Accesses at addresses that may be misaligned: in kernels, and on the host.
#include <cuda_runtime.h>

__global__ void read_kernel(const char* x, float* out) {
  float4 v = *reinterpret_cast<const float4*>(x);
  out[threadIdx.x] = v.x + v.w;
}
__global__ void write_kernel(char* x) { *reinterpret_cast<double*>(x) = 1.0; }
__global__ void cached_kernel(const char* x, float* out) {
  out[0] = __ldg(reinterpret_cast<const float2*>(x)).y;
}
__global__ void shared_kernel(float* out, int at) {
  __shared__ char bytes[64];
  __shared__ float4 vectors[4];
  for (int i = 0; i < 64; i++) bytes[i] = 0;
  vectors[3] = make_float4(1, 2, 3, 4);
  out[0] = vectors[3].z + *reinterpret_cast<const int*>(&bytes[at]);
}

extern "C" int read_vector(const uint8_t* x, float* out, int at, cudaStream_t s) {
  read_kernel<<<1, 2, 0, s>>>((const char*)x + at, out);
  int first = cudaGetLastError();
  return first == cudaDeviceSynchronize() ? first : -1;
}
extern "C" int write_double(uint8_t* x, int at, cudaStream_t s) {
  write_kernel<<<1, 1, 0, s>>>((char*)x + at);
  return cudaGetLastError();
}
extern "C" int read_cached(const uint8_t* x, float* out, int at, cudaStream_t s) {
  cached_kernel<<<1, 1, 0, s>>>((const char*)x + at, out);
  return cudaGetLastError();
}
extern "C" int read_shared(float* out, int at, cudaStream_t s) {
  shared_kernel<<<1, 1, 0, s>>>(out, at);
  return cudaGetLastError();
}
extern "C" int on_the_host(float* out, cudaStream_t s) {
  char bytes[32] = {};
  volatile int at = 1;
  return *reinterpret_cast<int*>(bytes + at);
}
