// A program for each element of a product: those along y read neighbouring columns, and the
// same row, so they run together, and first along y.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 5,35 f32[5,30]=random f32[30,35]=random f32[5,35]=zeros i32=35 i32=30 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 5,35 f32[5,30]=random f32[30,35]=random f32[5,35]=zeros i32=35 i32=30 --expect 2=%t.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O threads=2 -O vector_bits=256 --grid 5,35 f32[5,30]=random f32[30,35]=random f32[5,35]=zeros i32=35 i32=30 --expect 2=%t.npy,1e-5,1e-5

// CHECK: up to 16 programs side by side along y:
// CHECK: nest [32x16] axis 1 lanes 16
// CHECK: reduce
// CHECK: alone:

tt.func public @cells(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %n: i32, %depth: i32) {
  %i = tt.get_program_id x : i32
  %j = tt.get_program_id y : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %depths = tt.splat %depth : i32 -> tensor<32xi32>
  %inside = arith.cmpi slt, %k, %depths : tensor<32xi32>
  %row = arith.muli %i, %depth : i32
  %ar = tt.addptr %a, %row : !tt.ptr<f32>, i32
  %as = tt.splat %ar : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %pa = tt.addptr %as, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %pa, %inside, %zero : tensor<32x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %rows = arith.muli %k, %ns : tensor<32xi32>
  %js = tt.splat %j : i32 -> tensor<32xi32>
  %places = arith.addi %rows, %js : tensor<32xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %pb = tt.addptr %bs, %places : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %y = tt.load %pb, %inside, %zero : tensor<32x!tt.ptr<f32>>
  %each = arith.mulf %x, %y : tensor<32xf32>
  %sum = "tt.reduce"(%each) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<32xf32>) -> f32
  %out = arith.muli %i, %n : i32
  %at = arith.addi %out, %j : i32
  %pc = tt.addptr %c, %at : !tt.ptr<f32>, i32
  tt.store %pc, %sum : !tt.ptr<f32>
  tt.return
}
