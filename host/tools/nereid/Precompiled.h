// Precompiled.h - the headers that nearly every file of the command reads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PRECOMPILED_H
#define NEREID_TOOL_PRECOMPILED_H

#include <nereid/host.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#endif // NEREID_TOOL_PRECOMPILED_H
