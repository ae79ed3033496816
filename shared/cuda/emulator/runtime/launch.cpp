// A kernel launch: the checks that the CUDA runtime makes, then block after block.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime.h"

extern dim3 blockDim;
extern dim3 gridDim;

namespace cuda_emulator {

namespace {

struct Permission {
  std::string kernel;  // empty: the attribute was set through a pointer
  const void* address;
  int num_bytes;
};

std::vector<Permission> permissions;
sigjmp_buf launch_end;
int launch_count = 0;  // of the last call
uint64_t block_count = 0;
bool launches_are_skipped = false;
char kernel_name[128] = "";
uintptr_t arguments_start = 0;
size_t num_argument_bytes = 0;

// Launches and attributes know a kernel by its name or, through a pointer, by its address. Where
// one side has only a pointer and the other only a name, the permission is given.
bool applies(const Permission& permission, const LaunchRequest& request) {
  if (permission.kernel.empty() && request.kernel[0] == '\0') {
    return request.address == nullptr || permission.address == request.address;
  }
  bool both_named = !permission.kernel.empty() && request.address == nullptr;
  return !both_named || permission.kernel == request.kernel;
}

int dynamic_limit(const LaunchRequest& request) {
  int limit = max_shared_default;
  for (const Permission& permission : permissions) {
    if (applies(permission, request) && permission.num_bytes > limit) {
      limit = permission.num_bytes;
    }
  }
  return limit;
}

const char* label(const LaunchRequest& request) {
  return request.kernel[0] == '\0' ? "a kernel" : request.kernel;
}

int check_block(const LaunchRequest& r) {
  const dim3& b = r.block;
  uint64_t count = (uint64_t)b.x * b.y * b.z;
  const char* problem = nullptr;
  if (count == 0) {
    problem = "a block of no threads";
  } else if (std::max(b.x, b.y) > max_threads_per_block || count > max_threads_per_block) {
    problem = "more than 1024 threads in a block";
  } else if (b.z > max_block_z) {
    problem = "a block.z of more than 64";
  }
  if (problem == nullptr) return cudaSuccess;
  return refuse("launch", r.kernel, cudaErrorInvalidConfiguration,
                "the launch of %s has %s: its block is (%u,%u,%u)", label(r), problem, b.x, b.y,
                b.z);
}

int check_grid(const LaunchRequest& r) {
  const dim3& g = r.grid;
  const char* problem = nullptr;
  if (g.x == 0 || g.y == 0 || g.z == 0) {
    problem = "a grid of no blocks";
  } else if (g.x > max_grid_x) {
    problem = "a grid.x of more than 2147483647";
  } else if (std::max(g.y, g.z) > max_grid_yz) {
    problem = "a grid.y or grid.z of more than 65535";
  }
  if (problem == nullptr) return cudaSuccess;
  return refuse("launch", r.kernel, cudaErrorInvalidConfiguration,
                "the launch of %s has %s: its grid is (%u,%u,%u)", label(r), problem, g.x, g.y,
                g.z);
}

int check_shared(const LaunchRequest& r) {
  if (r.dynamic_shared > (size_t)max_shared_opt_in) {
    return refuse("launch", r.kernel, cudaErrorInvalidValue,
                  "the launch of %s asks for %zu bytes of dynamic shared memory; a block has at "
                  "most %d",
                  label(r), r.dynamic_shared, max_shared_opt_in);
  }
  int limit = dynamic_limit(r);
  if (r.dynamic_shared <= (size_t)limit) return cudaSuccess;
  return refuse("launch", r.kernel, cudaErrorInvalidValue,
                "the launch of %s asks for %zu bytes of dynamic shared memory; more than %d need "
                "cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, ...)",
                label(r), r.dynamic_shared, limit);
}

void run_blocks(dim3 grid) {
  for (unsigned z = 0; z < grid.z; z++) {
    for (unsigned y = 0; y < grid.y; y++) {
      for (unsigned x = 0; x < grid.x; x++) run_block(uint3{x, y, z});
    }
  }
}

void run_grid(const LaunchRequest& request) {
  launch_count++;
  block_count += (uint64_t)request.grid.x * request.grid.y * request.grid.z;
  if (launches_are_skipped) return;
  snprintf(kernel_name, sizeof kernel_name, "%s", label(request));
  gridDim = request.grid;
  blockDim = request.block;
  arguments_start = (uintptr_t)request.arguments;
  num_argument_bytes = request.num_argument_bytes;
  bool has_opted_in = dynamic_limit(request) > max_shared_default;
  begin_launch_shared(request.dynamic_shared, has_opted_in ? max_shared_opt_in : max_shared_default);
  begin_launch_races();
  prepare_threads(request.block, request.body, request.arguments);
  note_stream(request.stream, kernel_name);
  OpenMemory open;
  SignalGuard guard;
  if (sigsetjmp(launch_end, 1) == 0) {
    run_blocks(request.grid);
  } else {
    abandon_threads();
  }
}

}  // namespace

const char* running_kernel() {
  return kernel_name;
}

bool is_launch_argument(uintptr_t address) {
  return address - arguments_start < num_argument_bytes;
}

void begin_call_launches() {
  launch_count = 0;
  block_count = 0;
}

// The one way out of a fiber or a signal handler: both leave their stacks as they are.
void leave_kernel() {
  siglongjmp(launch_end, 1);
}

void run(const LaunchRequest& request) {
  set_host_place(__builtin_return_address(0));
  if (current != nullptr) {
    fail("unsupported", cudaErrorNotSupported,
         "launches the kernel %s; a kernel cannot launch another here", label(request));
  }
  if (sticky_error() != cudaSuccess) return;
  if (check_block(request) || check_grid(request) || check_shared(request)) return;
  run_grid(request);
}

int allow_dynamic_shared(const char* kernel, const void* address, int num_bytes) {
  set_host_place(__builtin_return_address(0));
  if (num_bytes < 0 || num_bytes > max_shared_opt_in) {
    return refuse("launch", kernel, cudaErrorInvalidValue,
                  "cudaFuncSetAttribute asks for %d bytes of dynamic shared memory for %s; a block "
                  "has at most %d",
                  num_bytes, kernel, max_shared_opt_in);
  }
  permissions.push_back(Permission{kernel, address, num_bytes});
  return cudaSuccess;
}

}  // namespace cuda_emulator

// ---- for the grader --------------------------------------------------------------------------
extern "C" {

// Launches of the last call that the checks let through.
__attribute__((visibility("default"))) int cuda_emulator_launches() {
  return cuda_emulator::launch_count;
}

// All blocks of these launches.
__attribute__((visibility("default"))) uint64_t cuda_emulator_blocks() {
  return cuda_emulator::block_count;
}

// From now on launches are counted and do nothing: what comes out then is not a kernel's work.
__attribute__((visibility("default"))) void cuda_emulator_skip_launches(int skip) {
  cuda_emulator::launches_are_skipped = skip != 0;
}
}
