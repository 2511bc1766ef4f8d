// precompiled.h - what nearly every test reads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_PRECOMPILED_H
#define NEREID_TEST_PRECOMPILED_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#endif // NEREID_TEST_PRECOMPILED_H
