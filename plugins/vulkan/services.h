// services.h - the block into which a kernel writes what it prints, and why it
// failed. The compiler and the driver share this.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// All of it are words of 32 bits in memory of the host. The driver sets the
// first `kRecords` words and the kernel only writes; what is read there is
// untrusted.

#ifndef NEREID_VULKAN_SERVICES_H
#define NEREID_VULKAN_SERVICES_H

#include <cstdint>

namespace nereid::vulkan::services {

// Words of the block.

/// The lowest number of a program that failed so far, at most kLastProgram;
/// at first above it.
inline constexpr uint32_t kLowestFault = 0;
/// How many entries of the table of faults were taken. A program takes one if
/// it is the lowest so far, so that the first of the grid is among them.
inline constexpr uint32_t kFaultCount = 1;
/// Words for records.
inline constexpr uint32_t kCapacity = 2;
/// Words of them that were taken; beyond the capacity: that did not fit.
inline constexpr uint32_t kCursor = 3;
/// Lines that did not fit.
inline constexpr uint32_t kDropped = 4;
/// The table of faults. An entry: 1 + the site, then the program along x, y
/// and z.
inline constexpr uint32_t kFaults = 8;
inline constexpr uint32_t kFaultWords = 4;
inline constexpr uint32_t kMostFaults = 64;
inline constexpr uint32_t kLastProgram = 0xfffffffe;
/// Records of prints, one after the other. One that did not fit leaves a 0.
inline constexpr uint32_t kRecords = kFaults + kMostFaults * kFaultWords;

// Words of a record. The elements follow, of one or two words each, in
// row-major order.

inline constexpr uint32_t kRecordSite = 0;    ///< 1 + the site
inline constexpr uint32_t kRecordProgram = 1; ///< along x, y and z
/// How many prints the program executed before.
inline constexpr uint32_t kRecordSequence = 4;
inline constexpr uint32_t kRecordElements = 5;

} // namespace nereid::vulkan::services

#endif // NEREID_VULKAN_SERVICES_H
