// Precompiled.h - the headers that most files of libnereid-ops read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_PRECOMPILED_H
#define NEREID_OPS_PRECOMPILED_H

#include "nereid/ops.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#endif // NEREID_OPS_PRECOMPILED_H
