// CallTimer.cpp - memory, checks and samples.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CallTimer.h"

#include "Compare.h"
#include "Errors.h"
#include "Parts.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace nereid::tuner {

using tools::Array;
using Clock = std::chrono::steady_clock;

static constexpr uint64_t alignment = 128;
// Buffers take turns until they are larger than any cache, as far as there is
// memory for that.
static constexpr uint64_t enoughBytes = uint64_t(256) << 20;
static constexpr size_t mostSets = 4;
static constexpr size_t fewestSamples = 5, mostSamples = 200;
// The time between two events, if that takes few calls.
static constexpr double groupNanoseconds = 2e6, mostInGroup = 20;

static double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

CallTimer::~CallTimer() {
  (void)nereid_backend_destroy_event(place.backend.get(), first);
  (void)nereid_backend_destroy_event(place.backend.get(), second);
}

// ---------------------------------------------------------------- memory

Expected<CallTimer::Buffers> CallTimer::makeBuffers() {
  Buffers buffers;
  for (const TaskTensor &tensor : call.tensors()) {
    auto request = detail::sized<nereid_allocation_t>();
    request.size = tensor.bytes() + tensor.offset + alignment;
    request.alignment = alignment;
    nereid_address_t address = 0;
    nereid_status_t status = nereid_backend_allocate(
        place.backend.get(), place.device, &request, &address);
    if (status != NEREID_OK)
      return detail::lastError(status);
    buffers.emplace_back(place.backend.get(), place.device, address,
                         request.size);
  }
  return buffers;
}

std::vector<uint64_t> CallTimer::addresses(const Buffers &buffers) const {
  std::vector<uint64_t> list;
  for (const Memory &memory : buffers)
    list.push_back(memory.address());
  return list;
}

static Expected<void> copy(const Place &place,
                           nereid_copy_direction_t direction,
                           nereid_address_t device, const void *host,
                           uint64_t size) {
  if (!size)
    return {};
  auto request = detail::sized<nereid_copy_t>();
  auto other = reinterpret_cast<uintptr_t>(host);
  request.direction = direction;
  request.destination =
      direction == NEREID_COPY_HOST_TO_DEVICE ? device : other;
  request.source = direction == NEREID_COPY_HOST_TO_DEVICE ? other : device;
  request.size = size;
  nereid_status_t status =
      nereid_backend_copy(place.backend.get(), place.device, &request);
  if (status == NEREID_OK)
    status = nereid_backend_synchronize(place.backend.get(), place.device, 0);
  return detail::check(status);
}

Expected<void> CallTimer::fill(Buffers &buffers, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i)
    if (Expected<void> copied =
            copy(place, NEREID_COPY_HOST_TO_DEVICE,
                 buffers[i].address() + call.tensors()[i].offset,
                 initial[i].data(), initial[i].size());
        !copied)
      return copied;
  return {};
}

// Makes the data: the same for equal calls. Outputs get a pattern, so that one
// that is not written is seen.
Expected<void> CallTimer::prepare() {
  if (!sets.empty())
    return {};
  uint64_t bytes = 0;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const TaskTensor &tensor = call.tensors()[i];
    Expected<Array> array = Array::make(tensor.type, {tensor.elements});
    if (!array)
      return array.error();
    if (i >= call.inputCount()) {
      std::memset(array->data(), 0x5a, array->size());
    } else {
      bool isFloat = tools::isFloat(tensor.type);
      double low = isFloat ? -1 : 0, high = isFloat ? 1 : 2;
      bool isSorted = false;
      if (values.contains(tensor.name)) {
        const Json &range = values[tensor.name];
        low = range.value("low", low);
        high = std::max(range.value("high", high), low);
        isSorted = range.value("sorted", false);
      }
      array->fillRandom(i + 1, low, high);
      if (isSorted) {
        std::vector<double> numbers;
        for (uint64_t k = 0; k < array->count(); ++k)
          numbers.push_back(tools::loadNumber(tensor.type, array->at(k)));
        std::ranges::sort(numbers);
        for (uint64_t k = 0; k < array->count(); ++k)
          tools::storeNumber(tensor.type, numbers[k], array->at(k));
      }
    }
    bytes += array->size();
    initial.push_back(std::move(*array));
  }
  size_t count = std::clamp<uint64_t>(
      enoughBytes / std::max<uint64_t>(bytes, 1), 1, mostSets);
  for (size_t i = 0; i < count; ++i) {
    Expected<Buffers> buffers = makeBuffers();
    if (!buffers && i)
      break; // fewer will do
    if (!buffers)
      return buffers.error();
    if (Expected<void> filled = fill(*buffers, 0, initial.size()); !filled)
      return filled;
    sets.push_back(std::move(*buffers));
  }
  isChanged.assign(call.tensors().size(), false);
  hasEvents = !place.isHost &&
              nereid_backend_create_event(place.backend.get(), place.device,
                                          nullptr, &first) == NEREID_OK &&
              nereid_backend_create_event(place.backend.get(), place.device,
                                          nullptr, &second) == NEREID_OK;
  return {};
}

// ---------------------------------------------------------------- running

static std::string lastReason() {
  return std::string(detail::view(nereid_error()));
}

void CallTimer::launch(size_t set, const std::string &choice) {
  if (nereid_operator_call(op, call.at(addresses(sets[set]), choice)))
    fail(lastReason());
}

void CallTimer::synchronize() {
  if (nereid_backend_synchronize(place.backend.get(), place.device, 0))
    fail(lastReason());
}

void CallTimer::runOnce(size_t set, const std::string &choice) {
  launch(set, choice);
  synchronize();
}

Expected<std::vector<Array>> CallTimer::results() {
  std::vector<Array> found;
  for (size_t i = 0; i < initial.size(); ++i) {
    Expected<Array> array = Array::make(initial[i].type(), initial[i].shape());
    if (!array)
      return array.error();
    if (Expected<void> copied =
            copy(place, NEREID_COPY_DEVICE_TO_HOST,
                 sets[0][i].address() + call.tensors()[i].offset, array->data(),
                 array->size());
        !copied)
      return copied.error();
    found.push_back(std::move(*array));
  }
  return found;
}

// Configurations sum in other orders, some in narrower types on the way: what
// that may change, as a part of the largest result.
static double toleranceOf(DType type) {
  switch (type) {
  case DType::F64:
    return 1e-9;
  case DType::F32:
    return 1e-3;
  case DType::F16:
    return 1e-2;
  case DType::BF16:
    return 5e-2;
  case DType::F8E4M3:
  case DType::F8E5M2:
    return 0.25;
  default:
    return 0;
  }
}

// The largest finite number of \p array.
static double largestOf(const Array &array) {
  std::vector<double> parts(tools::partsOf(array.count()));
  tools::inParts(
      array.count(), [&](uint64_t part, uint64_t begin, uint64_t end) {
        for (uint64_t k = begin; k < end; ++k)
          if (double value =
                  std::fabs(tools::loadNumber(array.type(), array.at(k)));
              std::isfinite(value))
            parts[part] = std::max(parts[part], value);
      });
  return *std::ranges::max_element(parts);
}

void CallTimer::expect(std::vector<Array> found) {
  expected = std::move(found);
  for (const Array &right : expected)
    allowed.push_back(toleranceOf(right.type()) > 0 && right.count()
                          ? toleranceOf(right.type()) * largestOf(right)
                          : 0);
}

std::string CallTimer::mismatch(const std::vector<Array> &found) const {
  for (size_t i = 0; i < found.size(); ++i) {
    tools::Comparison compared = tools::compareArrays(
        found[i], expected[i], {toleranceOf(expected[i].type()), allowed[i]});
    if (!compared.matches())
      return call.tensors()[i].name + ": " +
             tools::describeMismatch(compared, expected[i].shape());
  }
  return {};
}

Expected<std::string> CallTimer::makeReference(const std::string &choice) {
  if (Expected<void> prepared = prepare(); !prepared)
    return prepared.error();
  if (nereid_operator_prepare(op, call.at(addresses(sets[0]), choice)))
    return lastReason();
  runOnce(0, choice);
  Expected<std::vector<Array>> found = results();
  if (!found)
    return found.error();
  for (size_t i = 0; i < call.inputCount(); ++i) {
    isChanged[i] = std::memcmp((*found)[i].data(), initial[i].data(),
                               initial[i].size()) != 0;
    writesInputs |= isChanged[i];
  }
  expect(std::move(*found));
  return std::string();
}

// ---------------------------------------------------------------- timing

// Nanoseconds of one call.
Expected<double> CallTimer::sample(const std::string &choice, uint64_t group) {
  next = (next + 1) % sets.size();
  if (writesInputs)
    if (Expected<void> restored = fill(sets[next], 0, call.inputCount());
        !restored)
      return restored.error();
  (void)nereid_backend_flush_cache(place.backend.get(), place.device, 0);
  synchronize();
  if (!hasEvents) {
    auto start = Clock::now();
    runOnce(next, choice);
    return nanosecondsSince(start);
  }
  (void)nereid_backend_record_event(place.backend.get(), first, 0);
  for (uint64_t i = 0; i < group; ++i)
    launch((next + i) % sets.size(), choice);
  (void)nereid_backend_record_event(place.backend.get(), second, 0);
  synchronize();
  double nanoseconds = 0;
  nereid_status_t status =
      nereid_backend_elapsed(place.backend.get(), first, second, &nanoseconds);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return nanoseconds / static_cast<double>(group);
}

Expected<void> CallTimer::measure(const std::string &choice, double best,
                                  double seconds, Timing &timing) {
  if (writesInputs)
    if (Expected<void> restored = fill(sets[0], 0, call.inputCount());
        !restored)
      return restored;
  // The first call was the check; this one has warm pages and code.
  auto warm = Clock::now();
  runOnce(0, choice);
  double once = nanosecondsSince(warm);
  auto group = static_cast<uint64_t>(
      writesInputs ? 1 : std::clamp(groupNanoseconds / once, 1.0, mostInGroup));
  std::vector<double> samples;
  auto start = Clock::now();
  while (samples.size() < mostSamples &&
         (samples.size() < fewestSamples ||
          nanosecondsSince(start) < seconds * 1e9)) {
    Expected<double> time = sample(choice, group);
    if (!time)
      return time.error();
    samples.push_back(*time);
    uint32_t isHopeless = 0;
    if (nereid_tune_is_hopeless(samples.data(), samples.size(), best,
                                &isHopeless) == NEREID_OK &&
        isHopeless) {
      timing.status = "slow";
      timing.note = "given up after " + std::to_string(samples.size()) +
                    " samples: the best takes less than half of it";
      break;
    }
  }
  timing.measurement = detail::sized<nereid_tune_measurement_t>();
  return detail::check(
      nereid_tune_measure(samples.data(), samples.size(), &timing.measurement));
}

Expected<Timing> CallTimer::time(const std::string &choice, double best,
                                 double seconds) {
  Timing timing;
  if (Expected<void> prepared = prepare(); !prepared)
    return prepared.error();
  if (nereid_operator_prepare(op, call.at(addresses(sets[0]), choice))) {
    timing.status = "failed";
    timing.note = lastReason();
    return timing;
  }
  // Inputs that no candidate has changed are still there.
  size_t first = writesInputs || isSpoilt ? 0 : call.inputCount();
  if (Expected<void> filled = fill(sets[0], first, initial.size()); !filled)
    return filled.error();
  runOnce(0, choice);
  Expected<std::vector<Array>> found = results();
  if (!found)
    return found.error();
  timing.note = mismatch(*found);
  isSpoilt = !timing.note.empty();
  if (isSpoilt) {
    timing.status = "wrong";
    return timing;
  }
  if (Expected<void> measured = measure(choice, best, seconds, timing);
      !measured)
    return measured.error();
  return timing;
}

} // namespace nereid::tuner
