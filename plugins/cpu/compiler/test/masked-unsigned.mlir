// An unsigned comparison is an interval where no side is negative, which
// constants show or a program finds out: a negative number is above all others.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[768]=zeros
// DEFINE: %{small} = i32=20 i32=40
// DEFINE: %{negative} = i32=-30 i32=-5
// DEFINE: %{large} = i32=2147483630 i32=-2147483640
// RUN: %{run} %{small} -O fast_paths=none --save 0=%t.small.npy
// RUN: %{run} %{small} --expect 0=%t.small.npy,0,0
// RUN: %{run} %{small} -O fast_paths=all,-masked-loops,-fuse --expect 0=%t.small.npy,0,0
// RUN: %{run} %{negative} -O fast_paths=none --save 0=%t.negative.npy
// RUN: %{run} %{negative} --expect 0=%t.negative.npy,0,0
// RUN: %{run} %{negative} -O fast_paths=all,-masked-loops,-fuse --expect 0=%t.negative.npy,0,0
// RUN: %{run} %{large} -O fast_paths=none --save 0=%t.large.npy
// RUN: %{run} %{large} --expect 0=%t.large.npy,0,0
// RUN: %{run} %{large} -O fast_paths=all,-masked-loops,-fuse --expect 0=%t.large.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -O fast_paths=all,-fuse -o - | FileCheck %s

// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} < %{{.*}} by 1, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} <= %{{.*}} by 1 if %{{.*}} >= 0, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} < %{{.*}} by 1 if %{{.*}} >= 0 if %{{.*}} <= 2147483584 if %{{.*}} >= 0, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} >= %{{.*}} by 1 if %{{.*}} >= 0, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} > %{{.*}} by 1 if %{{.*}} >= 0 if %{{.*}} <= 2147483584, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) from a bound, where %{{.*}} < %{{.*}} by -1 if %{{.*}} >= 63, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} > %{{.*}} by -1 if %{{.*}} >= 0, else nothing
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: store
// CHECK:      nest [64]
// CHECK-NEXT: mask %{{.*}}(i0) below a bound, where %{{.*}} < %{{.*}} by 1 if %{{.*}} >= 0 if %{{.*}} <= 2147483584 if %{{.*}} >= 0, else nothing
// CHECK-NEXT: store

tt.func public @unsigned_masks(%p: !tt.ptr<f32>, %n: i32, %base: i32) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %c40 = arith.constant dense<40> : tensor<64xi32>
  %minus = arith.constant dense<-1> : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %bases = tt.splat %base : i32 -> tensor<64xi32>
  %offs = arith.addi %bases, %i : tensor<64xi32>
  %down = arith.subi %bases, %i : tensor<64xi32>
  %far = arith.constant dense<-32> : tensor<64xi32>
  %below = arith.addi %far, %i : tensor<64xi32>
  %wide = arith.extsi %offs : tensor<64xi32> to tensor<64xi64>
  %nw = arith.extsi %ns : tensor<64xi32> to tensor<64xi64>
  // The index and a constant: known now.
  %m0 = arith.cmpi ult, %i, %c40 : tensor<64xi32>
  %at0 = arith.constant 0 : i32
  %p0 = tt.addptr %p, %at0 : !tt.ptr<f32>, i32
  %s0 = tt.splat %p0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q0 = tt.addptr %s0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q0, %one, %m0 : tensor<64x!tt.ptr<f32>>
  // The index and an argument.
  %m1 = arith.cmpi ule, %i, %ns : tensor<64xi32>
  %at1 = arith.constant 64 : i32
  %p1 = tt.addptr %p, %at1 : !tt.ptr<f32>, i32
  %s1 = tt.splat %p1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q1 = tt.addptr %s1, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q1, %one, %m1 : tensor<64x!tt.ptr<f32>>
  // Both depend on arguments; the left side may also leave its type.
  %m2 = arith.cmpi ult, %offs, %ns : tensor<64xi32>
  %at2 = arith.constant 128 : i32
  %p2 = tt.addptr %p, %at2 : !tt.ptr<f32>, i32
  %s2 = tt.splat %p2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q2 = tt.addptr %s2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q2, %one, %m2 : tensor<64x!tt.ptr<f32>>
  // From the index on.
  %m3 = arith.cmpi uge, %i, %ns : tensor<64xi32>
  %at3 = arith.constant 192 : i32
  %p3 = tt.addptr %p, %at3 : !tt.ptr<f32>, i32
  %s3 = tt.splat %p3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q3 = tt.addptr %s3, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q3, %one, %m3 : tensor<64x!tt.ptr<f32>>
  %m4 = arith.cmpi ugt, %offs, %c40 : tensor<64xi32>
  %at4 = arith.constant 256 : i32
  %p4 = tt.addptr %p, %at4 : !tt.ptr<f32>, i32
  %s4 = tt.splat %p4 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q4 = tt.addptr %s4, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q4, %one, %m4 : tensor<64x!tt.ptr<f32>>
  // Downwards: what is not negative at the end of the axis never is.
  %m5 = arith.cmpi ult, %down, %c40 : tensor<64xi32>
  %at5 = arith.constant 320 : i32
  %p5 = tt.addptr %p, %at5 : !tt.ptr<f32>, i32
  %s5 = tt.splat %p5 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q5 = tt.addptr %s5, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q5, %one, %m5 : tensor<64x!tt.ptr<f32>>
  // The argument on the left.
  %m6 = arith.cmpi ugt, %ns, %i : tensor<64xi32>
  %at6 = arith.constant 384 : i32
  %p6 = tt.addptr %p, %at6 : !tt.ptr<f32>, i32
  %s6 = tt.splat %p6 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q6 = tt.addptr %s6, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q6, %one, %m6 : tensor<64x!tt.ptr<f32>>
  // Below -1 is every other number: no interval of signed numbers.
  %m7 = arith.cmpi ult, %offs, %minus : tensor<64xi32>
  %at7 = arith.constant 448 : i32
  %p7 = tt.addptr %p, %at7 : !tt.ptr<f32>, i32
  %s7 = tt.splat %p7 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q7 = tt.addptr %s7, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q7, %one, %m7 : tensor<64x!tt.ptr<f32>>
  // Negative from its constants on.
  %m8 = arith.cmpi ult, %below, %ns : tensor<64xi32>
  %at8 = arith.constant 512 : i32
  %p8 = tt.addptr %p, %at8 : !tt.ptr<f32>, i32
  %s8 = tt.splat %p8 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q8 = tt.addptr %s8, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q8, %one, %m8 : tensor<64x!tt.ptr<f32>>
  // In 64 bits, extended with the sign.
  %m9 = arith.cmpi ult, %wide, %nw : tensor<64xi64>
  %at9 = arith.constant 576 : i32
  %p9 = tt.addptr %p, %at9 : !tt.ptr<f32>, i32
  %s9 = tt.splat %p9 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q9 = tt.addptr %s9, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q9, %one, %m9 : tensor<64x!tt.ptr<f32>>
  tt.return
}
