// affinity.h - how many cores this process may use.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_AFFINITY_H
#define NEREID_CPU_AFFINITY_H

#include <string>

namespace nereid::cpu {

/// The cores that the calling thread may run on.
unsigned affinityCores();

/// The CPU time limit of the cgroup in cores, rounded up; 0 if there is no
/// limit. `procCgroup` is /proc/self/cgroup, `mount` /sys/fs/cgroup; both
/// versions of cgroups, and every level up to the root.
unsigned cgroupCores(const std::string &procCgroup, const std::string &mount);

/// The smaller of both, at least 1.
unsigned usableCores();

} // namespace nereid::cpu

#endif // NEREID_CPU_AFFINITY_H
