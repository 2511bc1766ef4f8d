// work.cpp - evaluates a formula; a model of the machine's speed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "work.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nereid::cpu {

// Rough estimates of a core's speed, per nanosecond.
static constexpr double kBytesPerNanosecond = 60;
static constexpr double kFlopsPerNanosecond = 60;
// The cost of a program without an estimate, and the minimum with a loop of
// unknown trip count.
static constexpr double kUnknownNanoseconds = 1000;
namespace {
/// Nanoseconds of an atomic operation, for each element.
struct AtomicCost {
  double locked, plain;
};
} // namespace
static constexpr AtomicCost kCostOfAtomics = {4, 1};
static constexpr AtomicCost kCostOfAtomicNeighbours = {1.3, 0.1};
// A parallel region costs two threads 0.4 us, and each further thread some
// 50 ns, which is the time to transfer a few cache lines.
static constexpr double kNanosecondsPerThread = 2000;
static constexpr double kNanosecondsOfAThread = 50;
// What each part of a program repeats, such as packing the right operand of a
// product, of the time of the program.
static constexpr double kCostOfAPart = 0.08;
// A step of a formula, and how much longer the work that depends on it must be.
static constexpr double kNanosecondsPerStep = 1.5;
static constexpr double kStepsWorth = 10;
// With less work, waking a thread costs more than it saves.
static constexpr double kNanosecondsWorthWaking = 12000;

/// The signed integer of `size` bytes at `address`.
static double readInteger(const void *address, int64_t size) {
  auto read = [&](auto value) {
    std::memcpy(&value, address, sizeof value);
    return static_cast<double>(value);
  };
  switch (size) {
  case 1:
    return read(int8_t());
  case 2:
    return read(int16_t());
  case 4:
    return read(int32_t());
  default:
    return read(int64_t());
  }
}

static double combine(int64_t kind, double a, double b) {
  switch (kind) {
  case NEREID_WORK_ADD:
    return a + b;
  case NEREID_WORK_SUBTRACT:
    return a - b;
  case NEREID_WORK_MULTIPLY:
    return a * b;
  case NEREID_WORK_DIVIDE:
    return b == 0 ? 0 : std::trunc(a / b);
  case NEREID_WORK_CEIL_DIVIDE:
    return b == 0 ? 0 : std::ceil(a / b);
  case NEREID_WORK_REMAINDER:
    return b == 0 ? 0 : a - std::trunc(a / b) * b;
  case NEREID_WORK_MIN:
    return std::min(a, b);
  case NEREID_WORK_MAX:
    return std::max(a, b);
  default:
    return 0;
  }
}

namespace {
/// What a formula depends on.
struct Position {
  const void *arguments;
  const uint32_t *grid;
  double program[3];
};
} // namespace

/// Computes the `values` of the steps.
static void evaluate(const nereid_work_step_t *steps, uint64_t count,
                     const Position &position, double *values) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto &[kind, a, b] = steps[i];
    switch (kind) {
    case NEREID_WORK_CONSTANT:
      values[i] = static_cast<double>(a);
      break;
    case NEREID_WORK_ARGUMENT:
      values[i] =
          readInteger(static_cast<const char *>(position.arguments) + a, b);
      break;
    case NEREID_WORK_PROGRAM_ID:
      values[i] = position.program[a];
      break;
    case NEREID_WORK_GRID_SIZE:
      values[i] = position.grid[a];
      break;
    default:
      values[i] = combine(kind, values[a], values[b]);
    }
  }
}

/// The middle of the grid.
static Position averageOf(const void *arguments, const uint32_t *grid) {
  Position average{arguments, grid, {}};
  for (int axis = 0; axis < 3; ++axis)
    average.program[axis] = (grid[axis] - 1.0) / 2;
  return average;
}

ProgramWork workOf(const nereid_cpu_kernel_t &image, const void *arguments,
                   const uint32_t *grid) {
  uint64_t count = image.work_count, step = image.atomics_step;
  auto atomics = static_cast<double>(image.atomics_per_program);
  if (count < 2 || count > NEREID_WORK_MAX_STEPS)
    return {static_cast<double>(image.bytes_per_program),
            static_cast<double>(image.flops_per_program), atomics};
  double values[NEREID_WORK_MAX_STEPS];
  evaluate(image.work, count, averageOf(arguments, grid), values);
  return {values[count - 2], values[count - 1],
          step > 0 && step < count ? values[step] : atomics};
}

double streamedBytesOf(const nereid_cpu_kernel_t &image, const void *arguments,
                       const uint32_t *grid) {
  auto bytes = static_cast<double>(image.streamed_bytes_per_program);
  uint64_t step = image.streamed_step;
  if (bytes > 0 && step > 0 && step < image.work_count &&
      step < NEREID_WORK_MAX_STEPS) {
    double values[NEREID_WORK_MAX_STEPS];
    evaluate(image.work, step + 1, averageOf(arguments, grid), values);
    bytes = values[step];
  }
  return bytes * grid[0] * grid[1] * grid[2];
}

bool isDivisible(const nereid_cpu_kernel_t &image, const void *arguments,
                 const uint32_t *grid, const uint32_t *program) {
  uint64_t count = image.parts_condition_count;
  if (image.parts < 2 || count < 1 || count > NEREID_CPU_MAX_CONDITION_STEPS)
    return false;
  Position position{arguments, grid, {}};
  std::copy_n(program, 3, position.program);
  double values[NEREID_CPU_MAX_CONDITION_STEPS];
  evaluate(image.parts_condition, count, position, values);
  return values[count - 1] >= 0;
}

/// Nanoseconds of one program, without its atomic operations.
static double costOf(const nereid_cpu_kernel_t &image,
                     const ProgramWork &work) {
  bool isEstimated = image.flags & NEREID_CPU_KERNEL_ESTIMATED;
  if (!image.work_count && !image.bytes_per_program && !image.flops_per_program)
    isEstimated = true;
  return std::max({work.bytes / kBytesPerNanosecond,
                   work.flops / kFlopsPerNanosecond,
                   isEstimated ? kUnknownNanoseconds : 1});
}

static const AtomicCost &costOfAtomics(const nereid_cpu_kernel_t &image) {
  return image.flags & NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS
             ? kCostOfAtomicNeighbours
             : kCostOfAtomics;
}

namespace {
/// The nanoseconds of programs with locks, and without.
struct Costs {
  double locked, plain;
  Costs(const nereid_cpu_kernel_t &image, const ProgramWork &work,
        double programs) {
    double others = costOf(image, work);
    const AtomicCost &atomics = costOfAtomics(image);
    locked = programs * (others + work.atomics * atomics.locked);
    plain = programs * (others + work.atomics * atomics.plain);
  }
};
} // namespace

uint32_t disjointIds(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                     const void *arguments, const uint32_t *grid) {
  uint64_t count = image.disjoint_condition_count, axis = image.disjoint_axis;
  if (count < 1 || count > NEREID_CPU_MAX_CONDITION_STEPS || axis > 2)
    return 1;
  double programs = 1.0 * grid[0] * grid[1] * grid[2] / grid[axis];
  if (Costs(image, work, programs).plain <
      kStepsWorth * kNanosecondsPerStep * static_cast<double>(count))
    return 1;
  Position position{arguments, grid, {}};
  double values[NEREID_CPU_MAX_CONDITION_STEPS];
  for (uint32_t id = grid[axis]; id-- > 0;) { // the last fails most often
    position.program[axis] = id;
    evaluate(image.disjoint_condition, count, position, values);
    if (!(values[count - 1] >= 0))
      return 1;
  }
  return grid[axis];
}

/// The threads, at most `most`, that `nanoseconds` of work are worth.
static double threadsWorth(double nanoseconds, double most) {
  return std::max(
      std::min({nanoseconds / kNanosecondsPerThread,
                std::sqrt(nanoseconds / kNanosecondsOfAThread), most}),
      1.0);
}

/// `locked` threads, or `plain` without locks for which there are `ids` ids.
static Threads fasterOf(const nereid_cpu_kernel_t &image, const Costs &costs,
                        double locked, double plain, uint32_t ids) {
  Threads threads{static_cast<unsigned>(locked),
                  costs.locked < kNanosecondsWorthWaking};
  if (!(image.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS))
    return threads;
  auto count = static_cast<unsigned>(std::min<double>(plain, ids));
  double share = std::ceil(static_cast<double>(ids) / count) / ids;
  if (costs.plain * share < costs.locked / threads.count)
    return {count, costs.plain < kNanosecondsWorthWaking, count > 1};
  return threads;
}

Threads threadsFor(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                   uint64_t programs, unsigned most, uint32_t ids) {
  double items = static_cast<double>(programs) *
                 static_cast<double>(std::max<uint64_t>(image.parts, 1));
  Costs costs(image, work, static_cast<double>(programs));
  return fasterOf(image, costs,
                  threadsWorth(costs.locked, std::min<double>(items, most)),
                  threadsWorth(costs.plain, most), ids);
}

Threads threadsWithin(const nereid_cpu_kernel_t &image, const ProgramWork &work,
                      unsigned most, uint32_t ids) {
  Threads threads = fasterOf(image, Costs(image, work, 1), most, most, ids);
  threads.isShort = false;
  return threads;
}

unsigned partsFor(const nereid_cpu_kernel_t &image, uint64_t programs,
                  unsigned threads) {
  if (image.parts < 2 || programs >= threads)
    return 1;
  unsigned best = 1;
  double least = HUGE_VAL;
  for (unsigned parts = 1; parts <= std::min<uint64_t>(image.parts, threads);
       ++parts) {
    // Parts are of whole strips.
    double strips = std::ceil(static_cast<double>(image.parts) / parts);
    double rounds = std::ceil(static_cast<double>(programs * parts) / threads);
    double time =
        rounds * (strips / static_cast<double>(image.parts) + kCostOfAPart);
    if (time < least) {
      best = parts;
      least = time;
    }
  }
  return best;
}

} // namespace nereid::cpu
