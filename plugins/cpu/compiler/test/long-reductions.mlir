// Each of 512 reductions reads what the one before has changed. A reader never
// follows that chain to its start, so the code grows as its length: some 120
// instructions for a reduction.
// RUN: nereid compile %s --target cpu --stop-after llir -o %t.ll
// RUN: grep -c " = " %t.ll | FileCheck %s
// CHECK: {{^[1-9][0-9]{4}$}}

tt.func private @p0(%x: tensor<64xf32>) -> tensor<64xf32> {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<64xf32>) -> f32
  %b = tt.splat %s : f32 -> tensor<64xf32>
  %y = arith.addf %x, %b : tensor<64xf32>
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
tt.func public @reductions(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %pa : tensor<64x!tt.ptr<f32>>
  %y = tt.call @p9(%x) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %pa, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
