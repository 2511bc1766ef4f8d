// LoadTest.cpp - images, their metadata, and what a kernel needs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CudaFixture.h"

namespace nereid::test {

using namespace cuda;

TEST_F(CudaTest, LoadsPtxCubinsAndFatbins) {
  std::string text = ptx("k", {});
  for (const std::string &image : {text, cubin(0x005a0d5a, 0x33, text)}) {
    nereid_kernel_info_t info = {};
    info.struct_size = sizeof info;
    nereid_module_t *module = load(image, kernelMetadata("k"));
    ASSERT_TRUE(module) << errors();
    EXPECT_TRUE(kernel(module, "k", &info)) << errors();
    EXPECT_EQ(info.registers, 32);
    EXPECT_EQ(info.max_threads, 1024);
    EXPECT_EQ(info.shared, 0);
  }
  EXPECT_TRUE(
      load(fatbin({{true, 90, text}, {false, 80, ""}}), kernelMetadata("k")));
}

TEST_F(CudaTest, ReportsWhatAKernelUses) {
  nereid_module_t *module = load(
      ptx("k", {}) + "// fake: registers=40 local=16 threads=512 shared=1024\n",
      kernelMetadata("k").integer("shared", 2048));
  nereid_kernel_info_t info = {};
  info.struct_size = sizeof info;
  ASSERT_TRUE(kernel(module, "k", &info)) << errors();
  EXPECT_EQ(info.registers, 40);
  EXPECT_EQ(info.spills, 4);
  EXPECT_EQ(info.max_threads, 512);
  EXPECT_EQ(info.shared, 3072);
}

TEST_F(CudaTest, ReportsHowManyProgramsRunAtTheSameTime) {
  auto residentOf = [&](const Metadata &metadata) {
    nereid_kernel_info_t info = {};
    info.struct_size = sizeof info;
    nereid_module_t *module =
        load(ptx("k", {}) + "// fake: registers=64\n", metadata);
    EXPECT_TRUE(kernel(module, "k", &info)) << errors();
    return info.resident_programs;
  };
  // 8 blocks of 128 threads with 64 registers on each of 132 multiprocessors.
  EXPECT_EQ(residentOf(kernelMetadata("k")), 8u * 132);
  // 2, for which more shared memory has to be allowed first.
  EXPECT_EQ(residentOf(kernelMetadata("k").integer("shared", 100000)),
            2u * 132);
  // Clusters do not fit into groups of multiprocessors without a remainder.
  EXPECT_EQ(residentOf(kernelMetadata("k").list("cluster", {3, 1, 1})),
            8u * (16 * 8 / 3) * 3);
  // A program of 4 blocks is a cluster, or a part of one.
  EXPECT_EQ(residentOf(kernelMetadata("k").integer("num_ctas", 4)), 256u);
  EXPECT_EQ(residentOf(kernelMetadata("k").integer("num_ctas", 16)), 64u);
  EXPECT_EQ(residentOf(kernelMetadata("k")
                           .integer("num_ctas", 4)
                           .list("cluster", {1, 2, 1})),
            256u);
}

TEST_F(CudaTest, DoesNotKnowTheOccupancyThatTheLibraryDoesNotSay) {
  fakeCudaFail("cuOccupancyMaxActiveBlocksPerMultiprocessor",
               CUDA_ERROR_NOT_SUPPORTED);
  nereid_kernel_info_t info = {};
  info.struct_size = sizeof info;
  nereid_module_t *module = load(ptx("k", {}), kernelMetadata("k"));
  ASSERT_TRUE(kernel(module, "k", &info)) << errors();
  EXPECT_EQ(info.resident_programs, 0u);
}

// The struct of ABI 1.0 ended before the occupancy.
TEST_F(CudaTest, WritesNothingBehindTheFactsOfAnOlderHost) {
  nereid_kernel_info_t info = {};
  info.struct_size = offsetof(nereid_kernel_info_t, resident_programs);
  info.resident_programs = 77;
  nereid_module_t *module = load(ptx("k", {}), kernelMetadata("k"));
  ASSERT_TRUE(kernel(module, "k", &info)) << errors();
  EXPECT_EQ(info.registers, 32);
  EXPECT_EQ(info.resident_programs, 77u);
  EXPECT_EQ(info.struct_size, 24u);
}

TEST_F(CudaTest, FindsAKernelOnce) {
  nereid_module_t *module =
      load(ptx("k", {}) + ptx("other", {}), kernelMetadata("k"));
  nereid_kernel_t *found = kernel(module, "k");
  EXPECT_EQ(kernel(module, "k"), found);
  EXPECT_TRUE(kernel(module, "other"));
  EXPECT_FALSE(kernel(module, "missing"));
  EXPECT_EQ(status, NEREID_NOT_FOUND);
  EXPECT_EQ(errors(), "the image has no kernel 'missing'");
}

TEST_F(CudaTest, RefusesAnImageOfAnotherArchitecture) {
  fakeCudaMachine().capability = 80;
  load(cubin(0x005a0d5a), kernelMetadata("k"));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_EQ(errors(), "the image is for sm_90a, device 'Fake GPU' is sm_80");
  // Before a context is made.
  EXPECT_EQ(fakeCudaCalls("cuDevicePrimaryCtxRetain"), 0u);
}

TEST_F(CudaTest, RefusesPtxThatIsTooNew) {
  fakeCudaMachine().version = 12040;
  load(ptx("k", {}, "sm_90a", "8.7"), kernelMetadata("k"));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_EQ(errors(), "the image is PTX 8.7 for sm_90a, the driver (CUDA 12.4) "
                      "compiles up to PTX 8.4: update the driver, or compile "
                      "for an older PTX");
}

TEST_F(CudaTest, RefusesPtxThatTheDriverFindsTooNew) {
  fakeCudaMachine().version = 99000; // nothing is known of it
  fakeCudaFail("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  load(ptx("k", {}, "sm_90a", "9.9"), kernelMetadata("k"));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(errors(),
              HasSubstr("PTX 9.9 for sm_90a, which is too new for the "
                        "driver (CUDA 99.0)"));
}

TEST_F(CudaTest, RepeatsWhatTheDriversCompilerSays) {
  load(ptx("k", {}) + "// fake: error=218 log=line 3: expected ';'\n",
       kernelMetadata("k"));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_EQ(errors(),
            "cannot load the image (PTX 8.0 for sm_90a); it says: line 3: "
            "expected ';'; on device 'Fake GPU': the fake was told to fail "
            "(CUDA_ERROR_INVALID_PTX)");
}

TEST_F(CudaTest, RefusesMalformedMetadata) {
  struct {
    Metadata metadata;
    const char *problem;
  } cases[] = {
      {Metadata().integer("num_warps", 4), "there is no 'name'"},
      {Metadata().string("name", "k"), "there is no 'num_warps'"},
      {kernelMetadata("k").integer("num_warps", 33), "'num_warps' is 33"},
      {kernelMetadata("k").string("shared", "64"), "'shared' has type 4"},
      {kernelMetadata("k").integer("shared", -1), "'shared' is -1"},
      {kernelMetadata("k").integer("num_ctas", 17), "'num_ctas' is 17"},
      {kernelMetadata("k").list("cluster", {1, 2}), "'cluster' has 2 items"},
      {kernelMetadata("k").list("cluster", {1, 0, 1}), "has 0 programs"},
      {kernelMetadata("k", {"tensor"}), "type 'tensor'"},
      {kernelMetadata("k", {"i32"}).list("argument_offsets", {0, 4}),
       "argument_offsets 2"},
      {kernelMetadata("k", {"i32"}).list("argument_offsets", {-4}),
       "at offset -4"},
      {kernelMetadata("k", {"i64"}).integer("argument_size", 4),
       "'argument_size' is 4"},
      {kernelMetadata("k", {"i32"}).list("parameters", {1}),
       "a parameter is 1 of 1 arguments and 0 tensor maps"},
      {kernelMetadata("k", {"i32"}).list("parameters", {-1}),
       "a parameter is -1"},
      {kernelMetadata("k").list("parameters", {INT64_MIN}),
       "a parameter is -9"},
      {kernelMetadata("k").integer("scratch_parameters", 3),
       "'scratch_parameters' is 3"},
      {kernelMetadata("k")
           .integer("scratch_size", 64)
           .integer("profile_scratch_size", 128),
       "'profile_scratch_size' is 128"},
      {kernelMetadata("k")
           .integer("scratch_size", 64)
           .integer("profile_scratch_size", 24),
       "multiples of the alignment 64"},
      {kernelMetadata("k").integer("scratch_alignment", 48), "is 48"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 0, 7}), "is incomplete"},
      {kernelMetadata("k").list("tensor_maps", {0, 6, 0, 7, 0, 1}),
       "is incomplete"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 0, 99, 0, 16}),
       "elements of type 99"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 9, 7, 0, 16}),
       "swizzle 9"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 0, 7, 2, 16}), "flags 2"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 0, 7, 0, 512}),
       "a block of 512"},
      {kernelMetadata("k").list("tensor_maps", {0, 1, 0, 7, 0, 16}),
       "starts at argument 0 of 0"},
      {kernelMetadata("k", {"*f32", "i64", "i64", "i1", "i1"})
           .list("tensor_maps", {0, 1, 0, 7, 0, 16}),
       "no 'parameters'"},
      {kernelMetadata("k", {"*f32", "i32", "i64", "i1", "i1"})
           .list("tensor_maps", {0, 1, 0, 7, 0, 16}),
       "type 'i32', i64 was expected"},
  };
  for (const auto &one : cases) {
    EXPECT_FALSE(load(ptx("k", {}), one.metadata)) << one.problem;
    EXPECT_EQ(status, NEREID_INVALID_ARGUMENT) << errors();
    EXPECT_THAT(errors(), HasSubstr("malformed metadata"));
    EXPECT_THAT(errors(), HasSubstr(one.problem));
  }
}

TEST_F(CudaTest, ComparesTheParametersOfTheImage) {
  std::string image = ptx("k", {".u64", ".u32"});
  EXPECT_TRUE(loadKernel(image, kernelMetadata("k", {"*f32", "i32"})));
  EXPECT_FALSE(loadKernel(image, kernelMetadata("k", {"*f32"})));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_EQ(errors(), "kernel 'k' has more than 1 parameters, the metadata "
                      "describes 1");
  EXPECT_FALSE(loadKernel(image, kernelMetadata("k", {"*f32", "i32", "i32"})));
  EXPECT_EQ(errors(), "kernel 'k' has only 2 parameters, the metadata "
                      "describes 3");
  EXPECT_FALSE(loadKernel(image, kernelMetadata("k", {"*f32", "i64"})));
  EXPECT_EQ(errors(), "parameter 1 of kernel 'k' has 4 bytes, the metadata "
                      "describes one of 8");
  // A library that does not tell is believed.
  fakeCudaMachine().hasParameterInfo = false;
  EXPECT_TRUE(loadKernel(image, kernelMetadata("k", {"*f32", "i32", "i32"})));
}

TEST_F(CudaTest, RefusesMoreSharedMemoryThanTheDeviceHas) {
  EXPECT_FALSE(loadKernel(ptx("k", {}) + "// fake: shared=1024\n",
                          kernelMetadata("k").integer("shared", 232448)));
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(errors(), "kernel 'k' needs 233472 bytes of shared memory, device "
                      "'Fake GPU' has 232448");
}

TEST_F(CudaTest, RefusesMoreThreadsThanTheRegistersAllow) {
  EXPECT_FALSE(loadKernel(ptx("k", {}) + "// fake: registers=255 threads=256\n",
                          kernelMetadata("k").integer("num_warps", 16)));
  EXPECT_EQ(status, NEREID_OUT_OF_RESOURCES);
  EXPECT_EQ(errors(), "kernel 'k' has 512 threads in a block, with its 255 "
                      "registers each device 'Fake GPU' runs at most 256");
}

TEST_F(CudaTest, RefusesWhatOlderDevicesLack) {
  fakeCudaMachine().capability = 80;
  std::string image = ptx("k", {}, "sm_80");
  EXPECT_FALSE(load(image, kernelMetadata("k").integer("num_ctas", 2)));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(errors(), HasSubstr("sm_90 or later was expected"));
  EXPECT_FALSE(
      load(image, kernelMetadata("k", {"*f32", "i64", "i64", "i1", "i1"})
                      .list("tensor_maps", {0, 1, 0, 7, 0, 16})
                      .list("parameters", {-1})));
  EXPECT_EQ(status, NEREID_INCOMPATIBLE);
  EXPECT_THAT(errors(), HasSubstr("takes tensor maps"));
}

} // namespace nereid::test
