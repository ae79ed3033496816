// One of everything else: each function stands for a feature that kernels use.
#include <cassert>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>

#define CHECK(call)                              \
  do {                                           \
    cudaError_t error = (call);                  \
    if (error != cudaSuccess) return (int)error; \
  } while (0)

__constant__ float coefficients[4] = {1.f, 2.f, 3.f, 4.f};
__device__ unsigned int finished = 0;
extern __shared__ float global_dynamic[];

struct Params {
  int n;
  float scale;
  __host__ __device__ float apply(float x) const { return x * scale; }
};

namespace ops {
template <typename T, int N>
__global__ void axpy(T* y, const T* x, Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] += T(p.apply(float(x[i]))) * T(N);
}
}  // namespace ops

__global__ void dynamic_kernel(float* out, int n) {
  float* a = global_dynamic;
  float* b = global_dynamic + n;
  a[threadIdx.x] = threadIdx.x;
  b[n - 1 - threadIdx.x] = threadIdx.x * coefficients[1];
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__global__ void vote_kernel(int* out) {
  unsigned m = __ballot_sync(0xffffffffu, threadIdx.x % 3 == 0);
  int c = __syncthreads_count(threadIdx.x < 10);
  int all = __syncthreads_and(threadIdx.x < 32), any = __syncthreads_or(threadIdx.x == 99);
  if (threadIdx.x == 0) {
    out[0] = __popc(m);
    out[1] = c;
    out[3] = all * 10 + any;
    printf("from a kernel: %d\n", c);
  }
  atomicMax(&out[2], (int)threadIdx.x);
  assert(c == 10);
}

__global__ void last_block_kernel(int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) *out = (int)blockIdx.x;
}

__global__ void half_kernel(half* y, const half* x, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = __hadd(__hmul(x[i], __float2half(2.f)), x[i] * x[i]);
}

__global__ void lock_kernel(int* lock, int* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *out = *out + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__shared__ int block_total;

template <typename T, int N>
__device__ T last_of(T value) {
  static __shared__ volatile T values[N];
  values[threadIdx.x] = value;
  __syncthreads();
  return values[N - 1];
}

__global__ void scopes_kernel(int* out) {
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();
  atomicAdd(&block_total, 1);
  float last = last_of<float, 32>(threadIdx.x * 0.5f) + last_of<int, 32>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = block_total * 100 + (int)(2 * last);
}

__global__ void struct_kernel(float* out) {
  __shared__ struct {
    float sum[2];
    int count;
  } state;
  __shared__ union Bits {
    float f;
    unsigned u;
  } bits;
  if (threadIdx.x == 0) state.count = 0, state.sum[1] = 2.5f, bits.f = 1.0f;
  __syncthreads();
  atomicAdd(&state.count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = state.count + state.sum[1], out[1] = bits.u == 0x3f800000u;
}

__global__ void math_kernel(float* out, unsigned n) {
  int i = 3;
  out[0] = max(i, n) + min(2.0f, 1.0) + max(-1, 4u);
  out[1] = tanh(0.5f) + tanhf(0.5f) + exp(1.0f) + rsqrtf(4.0f);
  out[2] = fmaxf(-CUDART_INF_F, 2.0f) + __fdividef(1.0f, 4.0f) + abs(-3) + fabs(-0.5f);
  out[3] = normcdff(0.0f) + erff(0.0f) + __saturatef(7.0f) + pow(2.0f, 3.0f);
}

// Early return: threads that have ended do not hold up a barrier.
__global__ void early_kernel(float* out, int n) {
  __shared__ float s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x];
}

__global__ void fill_kernel(float* out, const float* optional, float value) {
  out[blockIdx.y * gridDim.x + blockIdx.x] = optional ? *optional : value;
}

extern "C" int axpy(float* y, const float* x, int n, cudaStream_t stream) {
  Params p{n, 0.5f};
  ops::axpy<float, 2><<<(n + 127) / 128, 128, 0, stream>>>(y, x, p);
  CHECK(cudaGetLastError());
  return 0;
}

extern "C" int dynamic(float* out, int n, cudaStream_t stream) {
  size_t bytes = 2 * n * sizeof(float);
  dynamic_kernel<<<1, n, bytes, stream>>>(out, n);
  return cudaPeekAtLastError();
}

extern "C" int vote(int* out, cudaStream_t stream) {
  vote_kernel<<<dim3(1), dim3(32), 0, stream>>>(out);
  return cudaGetLastError();
}

extern "C" int last_block(int* out, cudaStream_t stream) {
  unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(finished, &zero, sizeof zero));
  last_block_kernel<<<7, 64, 0, stream>>>(out);
  return cudaStreamSynchronize(stream);
}

extern "C" int halves(half* y, const half* x, int n, cudaStream_t stream) {
  half_kernel<<<1, 32, 0, stream>>>(y, x, n);
  return cudaGetLastError();
}

extern "C" int lock(int* out, cudaStream_t stream) {
  int* d_lock;
  CHECK(cudaMalloc(&d_lock, sizeof(int)));
  CHECK(cudaMemset(d_lock, 0, sizeof(int)));
  lock_kernel<<<2, 64, 0, stream>>>(d_lock, out);
  CHECK(cudaDeviceSynchronize());
  return cudaFree(d_lock);
}

extern "C" int scopes(int* out, cudaStream_t stream) {
  scopes_kernel<<<2, 32, 0, stream>>>(out);
  return cudaGetLastError();
}

extern "C" int structs(float* out, cudaStream_t stream) {
  struct_kernel<<<1, 40, 0, stream>>>(out);
  return cudaGetLastError();
}

extern "C" int math(float* out, cudaStream_t stream) {
  math_kernel<<<1, 1, 0, stream>>>(out, 5);
  return cudaGetLastError();
}

extern "C" int early(float* out, int n, cudaStream_t stream) {
  early_kernel<<<1, 64, 0, stream>>>(out, n);
  return cudaGetLastError();
}

// A launch without braces, through a pointer, with NULL for an argument.
extern "C" int pointer(float* out, int use, cudaStream_t stream) {
  void (*kernel)(float*, const float*, float) = fill_kernel;
  if (use)
    kernel<<<dim3(2, 3), 1, 0, stream>>>(out, NULL, 4.0f /* the value */);
  else
    fill_kernel<<<{2, 3}, 1>>>(out, nullptr, 5.0f);
  return cudaGetLastError();
}

extern "C" int device(int* out, cudaStream_t stream) {
  int id, host_out[4];
  cudaDeviceProp properties;
  CHECK(cudaGetDevice(&id));
  CHECK(cudaGetDeviceProperties(&properties, id));
  CHECK(cudaDeviceGetAttribute(&host_out[0], cudaDevAttrMultiProcessorCount, id));
  host_out[1] = properties.maxThreadsPerBlock;
  int min_grid;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &host_out[2], fill_kernel, 0, 0));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float ms = 1.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  host_out[3] = ms >= 0.0f;
  return cudaMemcpy(out, host_out, sizeof host_out, cudaMemcpyHostToDevice);
}

template <int N>
__global__ void large_kernel(float* out) {
  extern __shared__ float4 vectors[];
  for (int i = threadIdx.x; i < N; i += blockDim.x) vectors[i] = make_float4(i, 0, 0, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = vectors[N - 1].x + vectors[0].w;
}

extern "C" int large(float* out, cudaStream_t stream) {
  int bytes = 4096 * (int)sizeof(float4);
  CHECK(cudaFuncSetAttribute(large_kernel<4096>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             bytes));
  large_kernel<4096><<<1, 128, bytes, stream>>>(out);
  return cudaGetLastError();
}

__global__ void many_kernel(float* out, float factor) { out[threadIdx.x] = factor * threadIdx.x; }

extern "C" int launch_function(float* out, float factor, cudaStream_t stream) {
  void* arguments[] = {&out, &factor};
  return cudaLaunchKernel((const void*)many_kernel, dim3(1), dim3(8), arguments, 0, stream);
}
