// Programs run along y first where their blocks are neighbours in memory there,
// and not along x, unless something depends on their order.
// RUN: split-file %s %t
// RUN: nereid compile %t/rows.mlir --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/rows.mlir --target cpu -O fast_paths=all,-grid-order --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X
// RUN: nereid run %t/rows.mlir --target cpu --grid 5,3,2 f32[2,40,96]=random:1 f32[2,40,96]=zeros i32=96 --no-cache --save 1=%t/out.npy
// RUN: nereid run %t/rows.mlir --target cpu -O fast_paths=none --grid 5,3,2 f32[2,40,96]=random:1 f32[2,40,96]=zeros i32=96 --no-cache --expect 1=%t/out.npy
// RUN: nereid run %t/rows.mlir --target cpu -O threads=3 --grid 5,3,2 f32[2,40,96]=random:1 f32[2,40,96]=zeros i32=96 --no-cache --expect 1=%t/out.npy
// RUN: nereid compile %t/columns.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X
// RUN: nereid compile %t/prints.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X
// RUN: nereid compile %t/sums.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=SUMS
// RUN: nereid compile %t/counts.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X

// CHECK: programs along y first
// ALONG-X-NOT: along y

// The row of the next program, 32 elements on, read and written, two lines each.
// CHECK: prefetch.p0(ptr %{{.*}}, i32 1
// CHECK: prefetch.p0(ptr %{{.*}}, i32 1
// CHECK: prefetch.p0(ptr %{{.*}}, i32 0
// CHECK: prefetch.p0(ptr %{{.*}}, i32 0
// CHECK-NOT: prefetch.p0(ptr %{{.*}}, i32
// CHECK: !{!"flags", i64 32}

// SUMS: programs along y first

//--- rows.mlir
// Blocks of 8 rows along x, of 32 columns along y, matrices along z.
tt.func public @rows(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %pitch: i32) {
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %c40 = arith.constant 40 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %row = arith.muli %x, %c8 : i32
  %matrix = arith.muli %z, %c40 : i32
  %line = arith.addi %row, %matrix : i32
  %column = arith.muli %y, %c32 : i32
  %start = arith.muli %line, %pitch : i32
  %first = arith.addi %start, %column : i32
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %c0 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<8x1xi32>
  %starts = arith.muli %r1, %pitches : tensor<8x1xi32>
  %rb = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x32xi32>
  %cb = tt.broadcast %c0 : tensor<1x32xi32> -> tensor<8x32xi32>
  %within = arith.addi %rb, %cb : tensor<8x32xi32>
  %firsts = tt.splat %first : i32 -> tensor<8x32xi32>
  %offs = arith.addi %within, %firsts : tensor<8x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %q = tt.addptr %ps, %offs : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  %v = tt.load %q : tensor<8x32x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<8x32xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %o = tt.addptr %os, %offs : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  tt.store %o, %w : tensor<8x32x!tt.ptr<f32>>
  tt.return
}

//--- columns.mlir
tt.func public @columns(%p: !tt.ptr<f32>, %pitch: i32) {
  %c32 = arith.constant 32 : i32
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %start = arith.muli %y, %pitch : i32
  %column = arith.muli %x, %c32 : i32
  %first = arith.addi %start, %column : i32
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %offs = arith.addi %c, %firsts : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %ps, %offs : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %one : tensor<32x!tt.ptr<f32>>
  tt.return
}

//--- prints.mlir
// Lines are in the order of programs, x first.
tt.func public @prints(%p: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %y = tt.get_program_id y : i32
  %first = arith.muli %y, %c32 : i32
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %offs = arith.addi %c, %firsts : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %ps, %offs : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %q : tensor<32x!tt.ptr<f32>>
  tt.print " v: " {hex = false, isSigned = array<i32: 0>} : %v : tensor<32xf32>
  tt.return
}

//--- counts.mlir
// An atomic counter numbers programs in their order.
tt.func public @counts(%p: !tt.ptr<i32>, %counter: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %true = arith.constant true
  %y = tt.get_program_id y : i32
  %first = arith.muli %y, %c32 : i32
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %offs = arith.addi %c, %firsts : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %ps, %offs : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %n = tt.atomic_rmw add, acq_rel, gpu, %counter, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  tt.store %q, %ns : tensor<32x!tt.ptr<i32>>
  tt.return
}

//--- sums.mlir
// Additions whose old values nobody uses may be in any order.
tt.func public @sums(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c32 = arith.constant 32 : i32
  %y = tt.get_program_id y : i32
  %first = arith.muli %y, %c32 : i32
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %offs = arith.addi %c, %firsts : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %ps, %offs : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %q : tensor<32x!tt.ptr<i32>>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %o = tt.addptr %os, %offs : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %n = tt.atomic_rmw add, acq_rel, gpu, %o, %v : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>) -> tensor<32xi32>
  tt.return
}
