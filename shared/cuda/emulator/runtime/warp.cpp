// Shuffles and votes: each waits for the lanes of its mask, then reads what they handed in.
#include "runtime.h"

namespace cuda_emulator {

namespace {

// Constants, because the scheduler compares operations by the address of their names.
const char* const sync_name = "__syncwarp()";
const char* const shuffle_names[] = {"__shfl_sync()", "__shfl_up_sync()", "__shfl_down_sync()",
                                     "__shfl_xor_sync()"};
const char* const ballot_name = "a vote (__ballot_sync(), __any_sync() or __all_sync())";
const char* const match_name = "__match_any_sync()";
const char* const exchange_name = "a warp reduction";

// The lane that a shuffle reads, or its own lane where the source is outside the segment.
int source_lane(int lane, Shuffle kind, int argument, int width) {
  int first = lane / width * width;
  int source = lane;
  switch (kind) {
    case Shuffle::from_lane: return first + (argument & (width - 1));
    case Shuffle::up: source = lane - argument; break;
    case Shuffle::down: source = lane + argument; break;
    case Shuffle::exclusive_or: source = lane ^ argument; break;
  }
  // An exclusive-or may also reach an earlier segment, as on a GPU.
  bool below = source < first && kind != Shuffle::exclusive_or;
  return below || source < 0 || source >= first + width ? lane : source;
}

bool is_width(int width) {
  return width >= 1 && width <= 32 && (width & (width - 1)) == 0;
}

}  // namespace

unsigned lane() {
  return current->lane;
}

void warp_barrier(unsigned mask) {
  wait_in_warp(mask, 0, sync_name, __builtin_return_address(0));
}

uint64_t warp_shuffle(unsigned mask, uint64_t value, Shuffle kind, int argument, int width) {
  const char* name = shuffle_names[(int)kind];
  if (!is_width(width)) {
    fail("warp", cudaErrorLaunchFailure, "calls %s with the width %d, which is no power of two",
         name, width);
  }
  Thread* self = current;
  wait_in_warp(mask, value, name, __builtin_return_address(0));
  int source = source_lane((int)self->lane, kind, argument, width);
  return self->warp->arrived >> source & 1 ? self->warp->values[source] : value;
}

unsigned warp_ballot(unsigned mask, int predicate) {
  Warp* warp = current->warp;
  wait_in_warp(mask, predicate != 0, ballot_name, __builtin_return_address(0));
  unsigned result = 0;
  for (unsigned i = 0; i < 32; i++) {
    if ((mask & warp->arrived) >> i & 1) result |= unsigned(warp->values[i]) << i;
  }
  return result;
}

unsigned warp_match(unsigned mask, uint64_t value) {
  Warp* warp = current->warp;
  wait_in_warp(mask, value, match_name, __builtin_return_address(0));
  unsigned result = 0;
  for (unsigned i = 0; i < 32; i++) {
    if ((mask & warp->arrived) >> i & 1) result |= unsigned(warp->values[i] == value) << i;
  }
  return result;
}

const uint64_t* warp_exchange(unsigned mask, uint64_t value, unsigned* arrived) {
  Warp* warp = current->warp;
  wait_in_warp(mask, value, exchange_name, __builtin_return_address(0));
  *arrived = mask & warp->arrived;
  return warp->values;
}

}  // namespace cuda_emulator
