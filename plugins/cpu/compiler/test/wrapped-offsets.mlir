// Remainders of negative numbers end at 0 and go on below it; a column of them
// is contiguous like a row; an offset that certainly wraps in its type is the
// address that it wraps to.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[128]=range f32[48]=zeros i32=48
// RUN: %{run} -O fast_paths=none --save 1=%t.npy
// RUN: %{run} --expect 1=%t.npy,0,0
// RUN: %{run} -O fast_paths=all,-fuse --expect 1=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -O fast_paths=all,-fuse,-overlap-guard -o - | FileCheck %s

// CHECK:      nest [16]
// CHECK-NEXT: pieces of %{{.*}}, contiguous
// CHECK-NEXT: materialize
// CHECK:      nest [16x1] axis 0
// CHECK-NEXT: pieces of %{{.*}}, contiguous
// CHECK-NEXT: materialize
// CHECK:      nest [16]
// CHECK-NEXT: materialize

tt.func public @wrapped_offsets(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c64 = arith.constant 64 : i32
  %middle = tt.addptr %p, %c64 : !tt.ptr<f32>, i32
  %from = tt.splat %middle : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %to, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>

  %ms = tt.splat %m : i32 -> tensor<16xi32>
  %below = arith.subi %i, %ms : tensor<16xi32>
  %rest = arith.remsi %below, %ms : tensor<16xi32>
  %a = tt.addptr %from, %rest : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %x = tt.load %a : tensor<16x!tt.ptr<f32>>
  tt.store %q, %x : tensor<16x!tt.ptr<f32>>

  %column = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %mc = tt.splat %m : i32 -> tensor<16x1xi32>
  %crest = arith.remsi %column, %mc : tensor<16x1xi32>
  %cfrom = tt.splat %middle : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %ca = tt.addptr %cfrom, %crest : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  %cx = tt.load %ca : tensor<16x1x!tt.ptr<f32>>
  %c16 = arith.constant 16 : i32
  %out1 = tt.addptr %out, %c16 : !tt.ptr<f32>, i32
  %cto = tt.splat %out1 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
  %cq = tt.addptr %cto, %column : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
  tt.store %cq, %cx : tensor<16x1x!tt.ptr<f32>>

  // i * 2^30 * 4 + i is i.
  %large = arith.constant dense<1073741824> : tensor<16xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %l0 = arith.muli %i, %large : tensor<16xi32>
  %l1 = arith.shli %l0, %two : tensor<16xi32>
  %l2 = arith.addi %l1, %i : tensor<16xi32>
  %la = tt.addptr %from, %l2 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %lx = tt.load %la : tensor<16x!tt.ptr<f32>>
  %c32 = arith.constant 32 : i32
  %out2 = tt.addptr %out, %c32 : !tt.ptr<f32>, i32
  %lto = tt.splat %out2 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %lq = tt.addptr %lto, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %lq, %lx : tensor<16x!tt.ptr<f32>>
  tt.return
}
