// Addresses and masks that are made of rows and columns before a loop are kept as
// these, a buffer of a row each: what is contiguous stays so, and numbers of 64 bits
// that are the same along the vectors do not make them shorter.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// CHECK: nest [16]
// CHECK-NEXT: materialize
// CHECK-NEXT: materialize
// CHECK: scf.for
// CHECK: nest [16x64] axis 1 lanes 32
// CHECK-NEXT: mask {{.*}}(i0) uniform
// CHECK-NOT: [16x64] !tt.ptr

// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 i64[16]=random:3:0:40 bf16[40,192]=random:1 bf16[192,16]=zeros --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 1 i64[16]=random:3:0:40 bf16[40,192]=random:1 bf16[192,16]=zeros --expect 2=%t.npy

tt.func public @rows(%numbers: !tt.ptr<i64>, %a: !tt.ptr<bf16>, %o: !tt.ptr<bf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %pitch = arith.constant dense<192> : tensor<16xi64>
  %most = arith.constant dense<30> : tensor<16xi64>
  %zero = arith.constant dense<0.0> : tensor<16x64xbf16>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %j_wide = arith.extsi %j : tensor<64xi32> to tensor<64xi64>
  %columns = tt.expand_dims %j_wide {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %columns_b = tt.broadcast %columns : tensor<1x64xi64> -> tensor<16x64xi64>
  %n_tile = tt.splat %numbers : !tt.ptr<i64> -> tensor<16x!tt.ptr<i64>>
  %n_at = tt.addptr %n_tile, %i : tensor<16x!tt.ptr<i64>>, tensor<16xi32>
  %n = tt.load %n_at : tensor<16x!tt.ptr<i64>>
  %below = arith.cmpi slt, %n, %most : tensor<16xi64>
  %below_e = tt.expand_dims %below {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tt.broadcast %below_e : tensor<16x1xi1> -> tensor<16x64xi1>
  %starts_1 = arith.muli %n, %pitch : tensor<16xi64>
  %starts = tt.expand_dims %starts_1 {axis = 1 : i32} : tensor<16xi64> -> tensor<16x1xi64>
  %starts_b = tt.broadcast %starts : tensor<16x1xi64> -> tensor<16x64xi64>
  %offsets = arith.addi %starts_b, %columns_b : tensor<16x64xi64>
  %a_tile = tt.splat %a : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
  %a_at = tt.addptr %a_tile, %offsets : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi64>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %lines = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<64> : tensor<16x1xi32>
  %o_starts = arith.muli %rows, %width : tensor<16x1xi32>
  %o_starts_b = tt.broadcast %o_starts : tensor<16x1xi32> -> tensor<16x64xi32>
  %lines_b = tt.broadcast %lines : tensor<1x64xi32> -> tensor<16x64xi32>
  %o_offsets = arith.addi %o_starts_b, %lines_b : tensor<16x64xi32>
  %o_tile = tt.splat %o : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
  %o_at = tt.addptr %o_tile, %o_offsets : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
  scf.for %t = %c0 to %c3 step %c1 : i32 {
    %step = arith.muli %t, %c64 : i32
    %step_t = tt.splat %step : i32 -> tensor<16x64xi32>
    %from = tt.addptr %a_at, %step_t : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    %x = tt.load %from, %mask, %zero : tensor<16x64x!tt.ptr<bf16>>
    %more = arith.addf %x, %x : tensor<16x64xbf16>
    %place = arith.muli %t, %c1024 : i32
    %place_t = tt.splat %place : i32 -> tensor<16x64xi32>
    %to = tt.addptr %o_at, %place_t : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    tt.store %to, %more : tensor<16x64x!tt.ptr<bf16>>
  }
  tt.return
}
