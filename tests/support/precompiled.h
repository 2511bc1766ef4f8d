// precompiled.h - what nearly every test reads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEST_PRECOMPILED_H
#define NEREID_TEST_PRECOMPILED_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#endif // NEREID_TEST_PRECOMPILED_H
