// A program of a product can be divided: each part stores some of the rows and
// multiplies no others. The image has a condition that compares the address
// ranges of a, b and c: where c overlaps what the program reads, or its own
// rows, the program is not divided. Tests divide all others.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-row-parts --stop-after llir -o - | FileCheck %s --check-prefix=WHOLE
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=32 --save 0=%t.apart.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=32 --expect 0=%t.apart.npy
// c is a, or b, or ends in a.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=2048 i32=0 i32=2048 i32=32 --save 0=%t.a.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=2048 i32=0 i32=2048 i32=32 --expect 0=%t.a.npy
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=2048 i32=0 i32=0 i32=32 --save 0=%t.b.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=2048 i32=0 i32=0 i32=32 --expect 0=%t.b.npy
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=3000 i32=0 i32=1024 i32=32 --save 0=%t.end.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=3000 i32=0 i32=1024 i32=32 --expect 0=%t.end.npy
// The rows of c overlap, or are one.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=16 --save 0=%t.rows.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=16 --expect 0=%t.rows.npy
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=0 --save 0=%t.row.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=6144 i32=0 --expect 0=%t.row.npy

// CHECK: up to {{[0-9]+}} parts of rows from %arg5 below %arg6
// CHECK: dot {{.*}} rows from {{%[0-9]+}} rows below {{%[0-9]+}}
// CHECK: mask {{.*}} uniform, else nothing
// CHECK: mask {{.*}} uniform, else nothing
// CHECK: define internal void @dot.f32.64x32x32{{.*}}.part
// CHECK: !{!"parts", i64 {{[0-9]+}}}
// CHECK: !{!"parts_condition", i64 11, i64 {{[0-9]+}}, i64 {{[0-9]+}}}
// WHOLE-NOT: parts of rows
// WHOLE: !{!"parts", i64 0}
// WHOLE-NOT: parts_condition

tt.func public @product(%p: !tt.ptr<f32>, %a: i32, %b: i32, %c: i32, %pitch: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %lower = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %krow = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %w64 = arith.constant dense<32> : tensor<64x1xi32>
  %w32 = arith.constant dense<32> : tensor<32x1xi32>
  %ra = arith.muli %row, %w64 : tensor<64x1xi32>
  %rb = arith.muli %krow, %w32 : tensor<32x1xi32>
  %ra2 = tt.broadcast %ra : tensor<64x1xi32> -> tensor<64x32xi32>
  %rb2 = tt.broadcast %rb : tensor<32x1xi32> -> tensor<32x32xi32>
  %ca2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
  %cb2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %oa = arith.addi %ra2, %ca2 : tensor<64x32xi32>
  %ob = arith.addi %rb2, %cb2 : tensor<32x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %rc = arith.muli %row, %pitches : tensor<64x1xi32>
  %rc2 = tt.broadcast %rc : tensor<64x1xi32> -> tensor<64x32xi32>
  %oc = arith.addi %rc2, %ca2 : tensor<64x32xi32>
  %pa = tt.addptr %p, %a : !tt.ptr<f32>, i32
  %pb = tt.addptr %p, %b : !tt.ptr<f32>, i32
  %pc = tt.addptr %p, %c : !tt.ptr<f32>, i32
  %as = tt.splat %pa : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %oa : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.addptr %bs, %ob : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %oc : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %nb = arith.constant dense<1024> : tensor<32x32xi32>
  %sums:2 = scf.for %i = %lower to %two step %one iter_args(%total = %zero, %pbs = %bp)
      -> (tensor<64x32xf32>, tensor<32x32x!tt.ptr<f32>>) : i32 {
    %av = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %bv = tt.load %pbs : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %av, %bv, %total : tensor<64x32xf32> * tensor<32x32xf32> -> tensor<64x32xf32>
    %pb1 = tt.addptr %pbs, %nb : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    scf.yield %next, %pb1 : tensor<64x32xf32>, tensor<32x32x!tt.ptr<f32>>
  }
  tt.store %cp, %sums#0 : tensor<64x32x!tt.ptr<f32>>
  tt.return
}
