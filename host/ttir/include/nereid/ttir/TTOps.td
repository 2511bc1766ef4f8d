// TTOps.td: all operations of the `tt` dialect.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTOPS_TD
#define NEREID_TTIR_TTOPS_TD

include "nereid/ttir/TTComputeOps.td"
include "nereid/ttir/TTElementwiseOps.td"
include "nereid/ttir/TTMemoryOps.td"
include "nereid/ttir/TTDescriptorOps.td"
include "nereid/ttir/TTProgramOps.td"
include "nereid/ttir/TTShapeOps.td"

#endif // NEREID_TTIR_TTOPS_TD
