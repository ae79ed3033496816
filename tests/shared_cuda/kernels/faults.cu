// One fault a function.
#include <cassert>
#include <cuda_runtime.h>

__global__ void write_kernel(float* x, long long at) { x[at + threadIdx.x] = 1.0f; }
__global__ void read_kernel(const float* x, float* out, long long at) { *out = x[at]; }
__global__ void divide_kernel(int* x, int by) { x[0] = 7 / by; }
__global__ void trap_kernel() {
  if (threadIdx.x == 3) __trap();
}
__global__ void assert_kernel(int limit) { assert((int)threadIdx.x < limit && "too many"); }
__global__ void plain_kernel(float* x) { x[threadIdx.x] = 2.0f; }
__global__ void other_kernel(float* x) { x[0] = 3.0f; }
__global__ void shuffle_kernel(float* x) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) v += __shfl_down_sync(0xffffffff, v, 8);
  __syncthreads();
  x[threadIdx.x] = v;
}
__global__ void own_lane_kernel(float* x) { x[threadIdx.x] = __shfl_sync(0xffff, 1.0f, 0); }
__global__ void stack_kernel(float* x, int depth) {
  volatile float big[1024 * 128];
  big[0] = x[0];
  big[1024 * 128 - 1] = depth;
  x[0] = big[1024 * 128 - 1] + big[0];
}
template <int KB>
__global__ void static_kernel(char* out) {
  __shared__ char big[KB << 10], more[4 << 10];
  big[0] = more[0] = 1;
  out[0] = big[0] + more[0];
}

extern "C" int write_at(float* x, int64_t at, cudaStream_t s) {
  write_kernel<<<2, 4, 0, s>>>(x, at);
  int first = cudaGetLastError();
  plain_kernel<<<1, 1, 0, s>>>(x);
  int again = cudaDeviceSynchronize();
  return first == again ? first : -1;
}
extern "C" int read_at(const float* x, float* out, int64_t at, cudaStream_t s) {
  read_kernel<<<1, 1, 0, s>>>(x, out, at);
  return cudaGetLastError();
}
extern "C" int after_free(float* out, cudaStream_t s) {
  float* d;
  cudaMalloc((void**)&d, 64);
  cudaFree(d);
  read_kernel<<<1, 1, 0, s>>>(d, out, 0);
  return cudaGetLastError();
}
extern "C" int divide(int* x, int by, cudaStream_t s) {
  divide_kernel<<<1, 1, 0, s>>>(x, by);
  return cudaGetLastError();
}
extern "C" int trap(cudaStream_t s) {
  trap_kernel<<<1, 8, 0, s>>>();
  return cudaGetLastError();
}
extern "C" int assertion(int limit, cudaStream_t s) {
  assert_kernel<<<1, 8, 0, s>>>(limit);
  return cudaGetLastError();
}
extern "C" int shuffle(float* x, cudaStream_t s) {
  shuffle_kernel<<<1, 32, 0, s>>>(x);
  return cudaGetLastError();
}
extern "C" int own_lane(float* x, cudaStream_t s) {
  own_lane_kernel<<<1, 32, 0, s>>>(x);
  return cudaGetLastError();
}
extern "C" int stack(float* x, cudaStream_t s) {
  stack_kernel<<<1, 1, 0, s>>>(x, 3);
  return cudaGetLastError();
}
extern "C" int configuration(float* x, int gx, int gy, int bx, int bz, int shared, int* out,
                             cudaStream_t s) {
  plain_kernel<<<dim3(gx, gy), dim3(bx, 1, bz), shared, s>>>(x);
  int error = cudaGetLastError();
  int last = cudaGetLastError();
  cudaMemcpyAsync(out, &last, sizeof last, cudaMemcpyHostToDevice, s);
  return error;
}
extern "C" int copy_too_much(float* x, int64_t bytes, cudaStream_t s) {
  float host[64] = {};
  return cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice);
}
extern "C" int attribute(float* x, int bytes, int of_this, cudaStream_t s) {
  const cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaFuncSetAttribute(of_this ? plain_kernel : other_kernel, size, 1024);
  if (of_this)
    cudaFuncSetAttribute(plain_kernel, size, bytes);
  else
    cudaFuncSetAttribute(other_kernel, size, bytes);
  plain_kernel<<<1, 1, bytes, s>>>(x);
  return cudaGetLastError();
}
extern "C" int static_shared(uint8_t* x, cudaStream_t s) {
  static_kernel<46><<<1, 1, 0, s>>>((char*)x);
  return cudaGetLastError();
}
extern "C" int host_null(float* x, cudaStream_t s) {
  plain_kernel<<<1, 1, 0, s>>>(x);
  volatile int* nowhere = nullptr;
  return *nowhere;
}
