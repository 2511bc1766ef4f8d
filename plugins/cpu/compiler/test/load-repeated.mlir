// Where the elements of a tile repeat addresses, loading it and storing through
// the same pointers is one addition per address, not one per element; in 2-D,
// the strides are known only at run time. The kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=zeros f32[1024]=zeros i32=0 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=zeros f32[1024]=zeros i32=0 --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=zeros f32[1024]=zeros i32=0 --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=zeros f32[1024]=zeros i32=0 --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=zeros f32[1024]=zeros i32=0 --no-cache -O vector_bits=128

tt.func public @add_one(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %stride: i32) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %four = arith.constant dense<4> : tensor<512xi32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %offsets = arith.remsi %range, %four : tensor<512xi32>
  %at = tt.addptr %ps, %offsets : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %at : tensor<512x!tt.ptr<f32>>
  %sum = arith.addf %x, %one : tensor<512xf32>
  tt.store %at, %sum : tensor<512x!tt.ptr<f32>>
  %y = tt.load %at : tensor<512x!tt.ptr<f32>>
  %same = arith.cmpf oeq, %y, %one : tensor<512xf32>
  tt.assert %same, "added more than once" : tensor<512xi1>

  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %js = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %strides = tt.splat %stride : i32 -> tensor<8x1xi32>
  %io = arith.muli %is, %strides : tensor<8x1xi32>
  %ib = tt.broadcast %io : tensor<8x1xi32> -> tensor<8x64xi32>
  %jb = tt.broadcast %js : tensor<1x64xi32> -> tensor<8x64xi32>
  %o = arith.addi %ib, %jb : tensor<8x64xi32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
  %at2 = tt.addptr %qs, %o : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
  %ones2 = arith.constant dense<1.0> : tensor<8x64xf32>
  %x2 = tt.load %at2 : tensor<8x64x!tt.ptr<f32>>
  %sum2 = arith.addf %x2, %ones2 : tensor<8x64xf32>
  tt.store %at2, %sum2 : tensor<8x64x!tt.ptr<f32>>
  %y2 = tt.load %at2 : tensor<8x64x!tt.ptr<f32>>
  %same2 = arith.cmpf oeq, %y2, %ones2 : tensor<8x64xf32>
  tt.assert %same2, "added once a row" : tensor<8x64xi1>
  tt.return
}
