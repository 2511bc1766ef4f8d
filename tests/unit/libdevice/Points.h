// Points.h - arguments at which functions are tried.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_UNIT_LIBDEVICE_POINTS_H
#define NEREID_TESTS_UNIT_LIBDEVICE_POINTS_H

#include "ExternKernel.h"

namespace nereid::test {

/// \p count elements for each operand, the same on every run: special numbers,
/// their neighbours, any bits, numbers of middle size, and operands that nearly
/// cancel.
std::vector<Bytes> pointsFor(const ListedFunction &function, size_t count);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_LIBDEVICE_POINTS_H
