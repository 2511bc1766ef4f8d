// A product in a branch, for which a tile is converted there, is none of the
// block in which the tile is reduced.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s

// CHECK-LABEL: tile program @branch
// CHECK: materialize
// CHECK: scf.if
// CHECK: dot
// CHECK: reduce

tt.func public @branch(%ps: !tt.ptr<f32>, %pv: !tt.ptr<bf16>, %po: !tt.ptr<f32>, %is: i1) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %rows = arith.muli %row, %c16 : tensor<16x1xi32>
  %rs = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %offs = arith.addi %rs, %cs : tensor<16x16xi32>
  %base = tt.splat %ps : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %at = tt.addptr %base, %offs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %s = tt.load %at : tensor<16x16x!tt.ptr<f32>>
  %p = math.exp2 %s : tensor<16x16xf32>
  %rounded = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xbf16>
  %vbase = tt.splat %pv : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>>
  %vat = tt.addptr %vbase, %offs : tensor<16x16x!tt.ptr<bf16>>, tensor<16x16xi32>
  %obase = tt.splat %po : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %oat = tt.addptr %obase, %offs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  scf.if %is {
    %v = tt.load %vat : tensor<16x16x!tt.ptr<bf16>>
    %o = tt.dot %rounded, %v, %zero : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
    tt.store %oat, %o : tensor<16x16x!tt.ptr<f32>>
  }
  %sum = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tt.reduce.return %add : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %sbase = tt.splat %po : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %sat = tt.addptr %sbase, %m : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %sat, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}
