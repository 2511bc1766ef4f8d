// Integers wrap in their types: such a comparison is not an interval, or one
// only for some first values, which a program checks.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[768]=zeros i32=2147483600 i32=-2147483630
// RUN: %{run} -O fast_paths=none --save 0=%t.npy
// RUN: %{run} --expect 0=%t.npy,0,0
// RUN: %{run} -O fast_paths=all,-fuse --expect 0=%t.npy,0,0
// RUN: %{run} -O fast_paths=all,-masked-loops,-fuse --expect 0=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -O fast_paths=all,-fuse -o - | FileCheck %s

// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} > %{{.*}} by 1 if %{{.*}} <= 2147483584, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} > %{{.*}} by 1 if %{{.*}} <= 2147483584, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} <= %{{.*}} by -1 if %{{.*}} >= -2147483585, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} <= %{{.*}} by 1, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} > %{{.*}} by 1, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} < %{{.*}} by 1, else nothing
// CHECK-NEXT: store

tt.func public @wrapping_masks(%p: !tt.ptr<f32>, %base: i32, %low: i32) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %zero64 = arith.constant dense<0> : tensor<64xi64>
  %zero8 = arith.constant dense<0> : tensor<64xi8>
  %bases = tt.splat %base : i32 -> tensor<64xi32>
  %lows = tt.splat %low : i32 -> tensor<64xi32>
  %offs = arith.addi %bases, %i : tensor<64xi32>
  // A hash.
  %factor = arith.constant dense<1103515245> : tensor<64xi32>
  %a0 = arith.muli %i, %factor : tensor<64xi32>
  %a = arith.cmpi slt, %a0, %zero : tensor<64xi32>
  %at0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %at0 : !tt.ptr<f32>, i32
  %s0 = tt.splat %p0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q0 = tt.addptr %s0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q0, %one, %a : tensor<64x!tt.ptr<f32>>
  // The last bit as the sign.
  %c31 = arith.constant dense<31> : tensor<64xi32>
  %b0 = arith.shli %i, %c31 : tensor<64xi32>
  %b = arith.cmpi slt, %b0, %zero : tensor<64xi32>
  %at1 = arith.constant 64 : i32
  %p1 = tt.addptr %p, %at1 : !tt.ptr<f32>, i32
  %s1 = tt.splat %p1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q1 = tt.addptr %s1, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q1, %one, %b : tensor<64x!tt.ptr<f32>>
  // A first offset from which the tile leaves its type.
  %c = arith.cmpi sgt, %offs, %zero : tensor<64xi32>
  %at2 = arith.constant 128 : i32
  %p2 = tt.addptr %p, %at2 : !tt.ptr<f32>, i32
  %s2 = tt.splat %p2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q2 = tt.addptr %s2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q2, %one, %c : tensor<64x!tt.ptr<f32>>
  // The same, extended.
  %d0 = arith.extsi %offs : tensor<64xi32> to tensor<64xi64>
  %d = arith.cmpi sgt, %d0, %zero64 : tensor<64xi64>
  %at3 = arith.constant 192 : i32
  %p3 = tt.addptr %p, %at3 : !tt.ptr<f32>, i32
  %s3 = tt.splat %p3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q3 = tt.addptr %s3, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q3, %one, %d : tensor<64x!tt.ptr<f32>>
  // The same, extended in the middle.
  %e0 = arith.addi %d0, %d0 : tensor<64xi64>
  %e = arith.cmpi sge, %e0, %zero64 : tensor<64xi64>
  %at4 = arith.constant 256 : i32
  %p4 = tt.addptr %p, %at4 : !tt.ptr<f32>, i32
  %s4 = tt.splat %p4 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q4 = tt.addptr %s4, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q4, %one, %e : tensor<64x!tt.ptr<f32>>
  // Downwards.
  %f0 = arith.subi %lows, %i : tensor<64xi32>
  %f = arith.cmpi sle, %f0, %zero : tensor<64xi32>
  %at5 = arith.constant 320 : i32
  %p5 = tt.addptr %p, %at5 : !tt.ptr<f32>, i32
  %s5 = tt.splat %p5 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q5 = tt.addptr %s5, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q5, %one, %f : tensor<64x!tt.ptr<f32>>
  // The largest bound.
  %g0 = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %most = arith.constant dense<9223372036854775807> : tensor<64xi64>
  %g = arith.cmpi sle, %g0, %most : tensor<64xi64>
  %at6 = arith.constant 384 : i32
  %p6 = tt.addptr %p, %at6 : !tt.ptr<f32>, i32
  %s6 = tt.splat %p6 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q6 = tt.addptr %s6, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q6, %one, %g : tensor<64x!tt.ptr<f32>>
  // A difference that no i64 has.
  %least = arith.constant dense<-9223372036854775800> : tensor<64xi64>
  %h = arith.cmpi sgt, %g0, %least : tensor<64xi64>
  %at7 = arith.constant 448 : i32
  %p7 = tt.addptr %p, %at7 : !tt.ptr<f32>, i32
  %s7 = tt.splat %p7 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q7 = tt.addptr %s7, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q7, %one, %h : tensor<64x!tt.ptr<f32>>
  // A narrow type.
  %four = arith.constant dense<4> : tensor<64xi8>
  %k0 = arith.trunci %i : tensor<64xi32> to tensor<64xi8>
  %k1 = arith.muli %k0, %four : tensor<64xi8>
  %k = arith.cmpi slt, %k1, %zero8 : tensor<64xi8>
  %at8 = arith.constant 512 : i32
  %p8 = tt.addptr %p, %at8 : !tt.ptr<f32>, i32
  %s8 = tt.splat %p8 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q8 = tt.addptr %s8, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q8, %one, %k : tensor<64x!tt.ptr<f32>>
  // Unsigned.
  %l0 = arith.constant dense<-2147483640> : tensor<64xi32>
  %l = arith.cmpi ult, %offs, %l0 : tensor<64xi32>
  %at9 = arith.constant 576 : i32
  %p9 = tt.addptr %p, %at9 : !tt.ptr<f32>, i32
  %s9 = tt.splat %p9 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q9 = tt.addptr %s9, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q9, %one, %l : tensor<64x!tt.ptr<f32>>
  // Extended without sign.
  %m0 = arith.extui %offs : tensor<64xi32> to tensor<64xi64>
  %m1 = arith.constant dense<2147483650> : tensor<64xi64>
  %m = arith.cmpi slt, %m0, %m1 : tensor<64xi64>
  %at10 = arith.constant 640 : i32
  %p10 = tt.addptr %p, %at10 : !tt.ptr<f32>, i32
  %s10 = tt.splat %p10 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q10 = tt.addptr %s10, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q10, %one, %m : tensor<64x!tt.ptr<f32>>
  // And one that is an interval.
  %n0 = arith.constant dense<40> : tensor<64xi32>
  %n = arith.cmpi slt, %i, %n0 : tensor<64xi32>
  %at11 = arith.constant 704 : i32
  %p11 = tt.addptr %p, %at11 : !tt.ptr<f32>, i32
  %s11 = tt.splat %p11 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q11 = tt.addptr %s11, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q11, %one, %n : tensor<64x!tt.ptr<f32>>
  tt.return
}
