// Precompiled.h - the headers that most files of libnereid read.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PRECOMPILED_H
#define NEREID_HOST_PRECOMPILED_H

#include "nereid/host.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#endif // NEREID_HOST_PRECOMPILED_H
