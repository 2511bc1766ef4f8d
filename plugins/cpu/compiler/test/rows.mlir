// With the reduced dimension innermost, a reduction and its readers process
// each row in one nest; without that path, in two.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-row-fusion --stop-after llir -o - | FileCheck %s --check-prefix=TWO

// CHECK: tile program @center
// CHECK: nest [16x64] axis 1
// CHECK-NEXT: row
// CHECK-NEXT: reduce
// CHECK-NEXT: row
// CHECK-NEXT: store
// CHECK-NOT: nest

// TWO: nest [16x64]
// TWO-NEXT: reduce
// TWO: nest [16x64]
// TWO-NEXT: store

tt.func public @center(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r2 = arith.muli %r1, %c64 : tensor<16x1xi32>
  %rb = tt.broadcast %r2 : tensor<16x1xi32> -> tensor<16x64xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tt.broadcast %c1 : tensor<1x64xi32> -> tensor<16x64xi32>
  %offs = arith.addi %rb, %cb : tensor<16x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %offs : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %x = tt.load %pa : tensor<16x64x!tt.ptr<f32>>
  %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %mb = tt.broadcast %m1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %y = arith.subf %x, %mb : tensor<16x64xf32>
  tt.store %pa, %y : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
