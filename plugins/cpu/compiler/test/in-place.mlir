// A store to the addresses that its own loads read needs no guard: each
// element is read before it is written, in one loop.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK: tile program @double
// CHECK-NOT: if it overlaps
// CHECK: nest [256]
// CHECK-NEXT: store

tt.func public @double(%p: !tt.ptr<f32>) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %pa : tensor<256x!tt.ptr<f32>>
  %sum = arith.addf %x, %x : tensor<256xf32>
  tt.store %pa, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}
