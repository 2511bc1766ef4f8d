// OutOfResources.cpp - the message that names both sizes.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/OutOfResources.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::codegen {

char OutOfResourcesError::ID;

void OutOfResourcesError::log(llvm::raw_ostream &stream) const {
  stream << "out of resources: a program needs " << needed << ' ' << what
         << ", and has " << available;
}

} // namespace nereid::codegen
