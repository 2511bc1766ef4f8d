// Ops.h - what the handles of nereid/ops.h are.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CAPI_OPS_H
#define NEREID_OPS_CAPI_OPS_H

#include "nereid/ops.h"
#include "pack/Packs.h"

struct nereid_ops_t {
  nereid::ops::Packs packs;
};

#endif // NEREID_OPS_CAPI_OPS_H
