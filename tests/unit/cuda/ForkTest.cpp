// ForkTest.cpp - the plugin in a child of fork(), through the host.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"
#include "forked_child.h"

#include "nereid/host.hpp"

namespace nereid::test {

TEST_F(CudaTest, AChildOfForkIsRefused) {
  auto options = detail::sized<nereid_runtime_options_t>();
  options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                  NEREID_RUNTIME_IGNORE_ENVIRONMENT |
                  NEREID_RUNTIME_ALLOW_WRITABLE;
  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
  ASSERT_EQ(nereid_runtime_load(runtime, text(CUDA_PLUGIN), &backend),
            NEREID_OK);
  nereid_allocation_t request = {sizeof request, 0, 64, 0};
  nereid_address_t address = 0;
  ASSERT_EQ(nereid_backend_allocate(backend, 0, &request, &address), NEREID_OK);
  EXPECT_TRUE(succeedsInChild([&] {
    nereid_address_t other = 0;
    return nereid_backend_allocate(backend, 0, &request, &other) ==
           NEREID_UNAVAILABLE;
  }));
  EXPECT_EQ(nereid_backend_free(backend, 0, address), NEREID_OK);
  nereid_runtime_destroy(runtime);
}

} // namespace nereid::test
