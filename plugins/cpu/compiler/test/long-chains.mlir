// A chain of more than 512 tile operations whose values have several readers is
// cut by a buffer, so that no reader has to follow it to its start.
// RUN: nereid compile %s --target cpu --stop-after llir -o %t.ll
// RUN: FileCheck %s < %t.ll
// What is evaluated again grows no faster than the chain: 1024 products, once.
// RUN: grep -c "fmul" %t.ll | FileCheck %s --check-prefix=PRODUCTS
// RUN: nereid run %s --target cpu --grid 1 f32[64]=zeros f32[64]=zeros

// CHECK: tile program @products
// CHECK: nest [64]
// CHECK-NEXT: materialize %513 in b
// CHECK-NEXT: materialize %1026 in b
// CHECK-NEXT: store %1027
// CHECK-NOT: nest [
// CHECK: ModuleID
// PRODUCTS: {{^}}1024{{$}}

tt.func private @p0(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = arith.mulf %x, %x : tensor<64xf32>
  tt.return %y : tensor<64xf32>
}
tt.func private @p1(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p0(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p0(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p2(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p1(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p1(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p3(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p2(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p2(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p4(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p3(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p3(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p5(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p4(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p4(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p6(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p5(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p5(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p7(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p6(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p6(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p8(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p7(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p7(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p9(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p8(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p8(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func private @p10(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tt.call @p9(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tt.call @p9(%y) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}
tt.func public @products(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %pa : tensor<64x!tt.ptr<f32>>
  %y = tt.call @p10(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oa = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oa, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
