// Counts what the warps of a call move. Lanes run one after another, so the k-th time that each lane comes
// to an instruction is taken as one request of their warp.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "runtime.h"

namespace cuda_emulator {

bool is_counting = false;

namespace {

constexpr uintptr_t sector = 32;
constexpr unsigned num_banks = 32;

struct Site {
  const void* place;
  Kind kind;
  bool is_shared;
  std::string name;
  uint64_t requests, num_bytes, transfers, ideal;
};

uint64_t barriers = 0;
std::vector<Site> sites;

struct Key {
  const void* place;
  const char* name;
  Kind kind;
  bool operator==(const Key& other) const {
    return place == other.place && name == other.name && kind == other.kind;
  }
};
struct Hash {
  size_t operator()(const Key& key) const {
    return (uintptr_t)key.place * 0x9e3779b97f4a7c15ull ^ (uintptr_t)key.name ^ (size_t)key.kind;
  }
};
std::unordered_map<Key, uint32_t, Hash> numbers;
struct Recent {
  Key key;
  uint32_t number;
};
constexpr size_t num_recent = 64;
Recent recent[num_recent];  // by the instruction: a loop has a few

uint32_t number_of(const Target& target, Kind kind, bool is_shared, const void* place) {
  Key key = {place, target.name, kind};
  Recent& last = recent[(uintptr_t)place / 4 % num_recent];
  if (key == last.key) return last.number;
  auto found = numbers.find(key);
  if (found == numbers.end()) {
    found = numbers.emplace(key, (uint32_t)sites.size()).first;
    sites.push_back(Site{place, kind, is_shared, target.name, 0, 0, 0, 0});
  }
  last = Recent{key, found->second};
  return last.number;
}

// The accesses of one request, in the order of lanes.
struct Request {
  const Access* lanes[32];
  unsigned count;
};

void count_global(Site& site, const Request& request) {
  uintptr_t sectors[32 * 4], addresses[32];
  unsigned num_sectors = 0, num_addresses = 0;
  for (unsigned i = 0; i < request.count; i++) {
    const Access& access = *request.lanes[i];
    addresses[num_addresses++] = access.address;
    uintptr_t end = (access.address + std::min<uint32_t>(access.size, 64) - 1) / sector;
    for (uintptr_t s = access.address / sector; s <= end; s++) {
      if (num_sectors == 0 || sectors[num_sectors - 1] != s) sectors[num_sectors++] = s;
    }
  }
  std::sort(sectors, sectors + num_sectors);
  std::sort(addresses, addresses + num_addresses);
  uint64_t distinct = uint64_t(std::unique(addresses, addresses + num_addresses) - addresses);
  site.transfers += uint64_t(std::unique(sectors, sectors + num_sectors) - sectors);
  site.ideal += (distinct * request.lanes[0]->size + sector - 1) / sector;
}

// Whether no bank is asked for two words, as is usual.
bool has_no_conflict(const Request& request) {
  uintptr_t words[num_banks];
  uint32_t seen = 0;
  for (unsigned i = 0; i < request.count; i++) {
    uintptr_t at = request.lanes[i]->address / word;
    unsigned bank = at % num_banks;
    if ((seen >> bank & 1) && words[bank] != at) return false;
    words[bank] = at;
    seen |= 1u << bank;
  }
  return true;
}

// 32 banks of 4 bytes: wider accesses take two or four turns, each for a part of the lanes.
void count_shared(Site& site, const Request& request) {
  unsigned words_each = std::max<unsigned>(request.lanes[0]->size / word, 1);
  if (words_each == 1 && has_no_conflict(request)) {
    site.transfers++;
    site.ideal++;
    return;
  }
  unsigned part = 32 / std::min(words_each, 4u);
  for (unsigned first = 0; first < request.count; first += part) {
    uintptr_t words[32 * 4];
    unsigned num_words = 0;
    for (unsigned i = first; i < std::min(first + part, request.count); i++) {
      for (unsigned w = 0; w < std::min(words_each, 4u); w++) {
        words[num_words++] = request.lanes[i]->address / word + w;
      }
    }
    std::sort(words, words + num_words);
    num_words = unsigned(std::unique(words, words + num_words) - words);
    unsigned in_bank[num_banks] = {}, most = 0;
    for (unsigned i = 0; i < num_words; i++) most = std::max(most, ++in_bank[words[i] % num_banks]);
    site.transfers += most;
    site.ideal++;
  }
}

void count_request(const Request& request) {
  Site& site = sites[request.lanes[0]->site];
  site.requests++;
  for (unsigned i = 0; i < request.count; i++) site.num_bytes += request.lanes[i]->size;
  if (site.is_shared) {
    count_shared(site, request);
  } else {
    count_global(site, request);
  }
}

bool all_lanes_did_the_same(const Warp& warp) {
  const std::vector<Access>& first = warp.threads[0].log;
  for (unsigned i = 1; i < warp.num_threads; i++) {
    const std::vector<Access>& log = warp.threads[i].log;
    if (log.size() != first.size()) return false;
    for (size_t k = 0; k < log.size(); k++) {
      if (log[k].site != first[k].site) return false;
    }
  }
  return true;
}

void count_in_step(const Warp& warp) {
  Request request;
  request.count = warp.num_threads;
  for (size_t k = 0; k < warp.threads[0].log.size(); k++) {
    for (unsigned i = 0; i < warp.num_threads; i++) request.lanes[i] = &warp.threads[i].log[k];
    count_request(request);
  }
}

struct Visit {
  uint32_t site;
  uint32_t visit;  // the how manieth of this lane
  const Access* access;
};

void count_by_visits(const Warp& warp) {
  std::vector<Visit> all;
  std::vector<uint32_t> counts(sites.size());
  for (unsigned i = 0; i < warp.num_threads; i++) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const Access& access : warp.threads[i].log) {
      all.push_back(Visit{access.site, counts[access.site]++, &access});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Visit& a, const Visit& b) {
    return a.site != b.site ? a.site < b.site : a.visit < b.visit;
  });
  for (size_t first = 0; first < all.size();) {
    Request request;
    request.count = 0;
    size_t at = first;
    for (; at < all.size() && all[at].site == all[first].site && all[at].visit == all[first].visit;
         at++) {
      request.lanes[request.count++] = all[at].access;
    }
    count_request(request);
    first = at;
  }
}

}  // namespace

void begin_call_traffic() {
  barriers = 0;
  sites.clear();
  numbers.clear();
  for (Recent& last : recent) last = Recent{{nullptr, nullptr, Kind::load}, 0};
}

void count_access(const Target& target, uintptr_t address, size_t num_bytes, Kind kind,
                  bool is_shared, const void* place) {
  uint32_t site = number_of(target, kind, is_shared, place);
  current->log.push_back(Access{address, (uint32_t)num_bytes, site});
}

void count_warp(Warp& warp) {
  if (all_lanes_did_the_same(warp)) {
    count_in_step(warp);
  } else {
    count_by_visits(warp);
  }
  for (unsigned i = 0; i < warp.num_threads; i++) warp.threads[i].log.clear();
}

void count_barrier() {
  barriers++;
}

}  // namespace cuda_emulator

// ---- for the grader --------------------------------------------------------------------------
extern "C" {

// From now on accesses are counted, or not: it makes a kernel slower.
__attribute__((visibility("default"))) void cuda_emulator_count(int is_wanted) {
  cuda_emulator::is_counting = is_wanted != 0;
}

__attribute__((visibility("default"))) uint64_t cuda_emulator_barriers() {
  return cuda_emulator::barriers;
}

// Calls `report(place, kind, is shared, name, {requests, bytes, transfers, ideal})` for each site.
__attribute__((visibility("default"))) void cuda_emulator_sites(
    void (*report)(size_t place, int kind, int is_shared, const char* name, const uint64_t* counts)) {
  using namespace cuda_emulator;
  for (const Site& site : sites) {
    const uint64_t counts[] = {site.requests, site.num_bytes, site.transfers, site.ideal};
    report(place_in_library(site.place), (int)site.kind, site.is_shared, site.name.c_str(), counts);
  }
}
}
