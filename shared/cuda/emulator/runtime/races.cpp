// Accesses of two threads to one word that nothing puts in order, and reads of what nobody has written.
#include <cstdio>
#include <cstring>

#include "runtime.h"

namespace cuda_emulator {

uint32_t epoch = 1;
uint32_t launch_epoch = 1;
uint32_t block_epoch = 1;
bool store_is_pending = false;

namespace {

bool block_is_synchronised = false;  // by a lock or a fence: it may be in order with other blocks

struct Store {
  const void* place;
  uintptr_t address;
  size_t num_bytes;
  unsigned char before[16];
  uint32_t writer;
  const void* writer_place;
  bool is_shared;
  Target target;
};
Store store;

std::vector<const void*> guesses;

bool is_guess(const void* place) {
  for (const void* guess : guesses) {
    if (guess == place) return true;
  }
  return false;
}

bool is_in_order(uint32_t number, uint32_t when, uint16_t turn) {
  const Thread& self = *current;
  if (when < launch_epoch || number == self.number) return true;
  if (when < block_epoch) return block_is_synchronised;  // another block of this launch
  if (when < epoch || self.is_synchronised) return true;
  return is_own_warp(number) && turn < self.warp->turn;
}

void write_thread(uint32_t number, char* text, size_t capacity) {
  if (number == current->number) {
    snprintf(text, capacity, "another thread");
    return;
  }
  uint3 block;
  uint3 t = index_of(number, &block);
  int length = snprintf(text, capacity, "thread (%u,%u,%u)", t.x, t.y, t.z);
  uint3 own;
  index_of(current->number, &own);
  if (block.x == own.x && block.y == own.y && block.z == own.z) return;
  snprintf(text + length, capacity - (size_t)length, " of block (%u,%u,%u)", block.x, block.y,
           block.z);
}

[[noreturn]] void fail_race(const Target& target, uintptr_t address, size_t num_bytes, Kind kind,
                            uint32_t other, const char* did, const void* place, bool is_shared) {
  char element[120], thread[80];
  write_element(target, address, num_bytes, element, sizeof element);
  write_thread(other, thread, sizeof thread);
  set_other_place(place);
  const char* missing = is_shared ? "with no barrier between them"
                                  : "in the same launch, and nothing puts them in order";
  fail("race", cudaErrorLaunchFailure, "%s %s, which %s %s\2 %s", verb(kind), element, thread, did,
       missing);
}

// A thread that has not run yet may write it: then what lacks is a barrier.
void hold_unwritten(const Target& target, uintptr_t address, size_t num_bytes) {
  if (current->is_exchanging) return;
  char element[120];
  write_element(target, address, num_bytes, element, sizeof element);
  hold_fault("uninitialised", "reads %s, which nobody has written", element);
}

void remember_store(const Target& target, uintptr_t address, size_t num_bytes, const Cell& cell,
                    bool is_shared) {
  if (store_is_pending) return;
  size_t kept = num_bytes < sizeof store.before ? num_bytes : sizeof store.before;
  store_is_pending = true;
  store = Store{current->place, address, kept, {}, cell.writer, cell.write_place, is_shared,
                target};
  memcpy(store.before, (const void*)address, kept);
}

bool reads_are_in_order(const Cell& cell) {
  const Thread& self = *current;
  if (cell.readers == 0 || cell.read_epoch != epoch) {
    return is_in_order(cell.reader, cell.read_epoch, cell.read_turn);
  }
  if (self.is_synchronised) return true;
  return cell.readers == 1 && is_own_warp(cell.reader) && cell.read_turn < self.warp->turn;
}

void record_write(Cell& cell, uint8_t bytes, bool is_atomic, bool is_shared) {
  const Thread& self = *current;
  // An atomic after one's own plain store does not make that atomic for the others.
  bool hides_a_store = is_atomic && !cell.is_atomic && cell.write_bytes != 0 &&
                       cell.write_epoch == epoch && cell.writer == self.number;
  if (hides_a_store) return;
  bool is_fresh = is_shared && cell.write_epoch < block_epoch;
  cell.known_bytes = is_fresh ? bytes : cell.known_bytes | bytes;
  cell.write_bytes = bytes;
  cell.writer = self.number;
  cell.write_epoch = epoch;
  cell.write_turn = self.warp->turn;
  cell.write_place = self.place;
  cell.is_atomic = is_atomic;
  cell.is_released = self.is_synchronised;
}

// The bytes of one word that an access touches, as bits.
uint8_t bytes_of(uintptr_t word_start, uintptr_t address, uintptr_t end) {
  unsigned first = address > word_start ? unsigned(address - word_start) : 0;
  unsigned last = end < word_start + word ? unsigned(end - word_start) : (unsigned)word;
  return uint8_t((0xfu >> (word - last)) & (0xfu << first));
}

bool is_of_this_block(uint32_t when, bool is_shared) {
  return !is_shared || when >= block_epoch;
}

// Whether another thread has written some of these bytes, and nothing puts that write in order with this access.
bool meets_write(const Cell& cell, uint8_t bytes, Kind kind, bool is_shared) {
  if (!(cell.write_bytes & bytes) || !is_of_this_block(cell.write_epoch, is_shared)) return false;
  if (kind == Kind::atomic && cell.is_atomic) return false;
  if (is_in_order(cell.writer, cell.write_epoch, cell.write_turn)) return false;
  if (kind == Kind::load && cell.is_atomic && is_guess(current->place)) return false;
  if (!current->is_polling || !cell.is_released) return true;
  synchronise();  // a flag, set behind a fence
  return false;
}

// Whether another thread has read some of these bytes, and nothing puts that read in order with this write.
bool meets_read(const Cell& cell, uint8_t bytes, Kind kind, bool is_shared) {
  if (!(cell.read_bytes & bytes) || !is_of_this_block(cell.read_epoch, is_shared)) return false;
  if (reads_are_in_order(cell)) return false;
  return !(kind == Kind::atomic && is_guess(cell.read_place));
}

}  // namespace

void begin_launch_races() {
  drop_held_fault();
  launch_epoch = ++epoch;
  guesses.clear();
}

void note_guess(const void* place) {
  if (!is_guess(place)) guesses.push_back(place);
}

void begin_block_races() {
  block_epoch = ++epoch;
  block_is_synchronised = false;
}

void synchronise() {
  if (current == nullptr) return;
  current->is_synchronised = true;
  block_is_synchronised = true;
}

void pass_barrier() {
  epoch++;
}

void check_store() {
  store_is_pending = false;
  if (memcmp(store.before, (const void*)store.address, store.num_bytes) == 0) return;
  current->place = store.place;
  fail_race(store.target, store.address, store.num_bytes, Kind::store, store.writer,
            "writes with another value", store.writer_place, store.is_shared);
}

void check_races(Cell* cells, const Target& target, uintptr_t address, size_t num_bytes, Kind kind,
                 bool is_shared, bool must_be_written) {
  uintptr_t end = address + num_bytes;
  bool is_known = !must_be_written || kind == Kind::store;  // a part of it: the rest may be padding
  for (uintptr_t at = address / word * word; at < end; at += word) {
    Cell& cell = cells[(at - target.start / word * word) / word];
    uint8_t bytes = bytes_of(at, address, end);
    bool is_old = !is_shared && cell.write_epoch < launch_epoch;
    if (kind == Kind::load && is_old && !must_be_written) {
      record_read(cell, bytes);
      continue;
    }
    if (meets_write(cell, bytes, kind, is_shared)) {
      if (kind != Kind::store || cell.is_atomic) {
        fail_race(target, address, num_bytes, kind, cell.writer,
                  cell.is_atomic ? "updates" : "writes", cell.write_place, is_shared);
      }
      remember_store(target, address, num_bytes, cell, is_shared);
    }
    if (is_of_this_block(cell.write_epoch, is_shared) && (bytes & cell.known_bytes)) is_known = true;
    if (kind == Kind::load) {
      record_read(cell, bytes);
      continue;
    }
    if (meets_read(cell, bytes, kind, is_shared)) {
      fail_race(target, address, num_bytes, kind, cell.reader, "reads", cell.read_place, is_shared);
    }
    record_write(cell, bytes, kind == Kind::atomic, is_shared);
  }
  if (!is_known) hold_unwritten(target, address, num_bytes);
}

}  // namespace cuda_emulator
