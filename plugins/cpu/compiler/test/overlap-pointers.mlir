// Tiles of pointers alias like those of numbers: the kernel moves them up by
// one and checks itself.
// RUN: nereid run %s --target cpu --grid 1 i64[257]=range --no-cache
// RUN: nereid run %s --target cpu --grid 1 i64[257]=range --no-cache -O fast_paths=none

tt.func public @shift(%p: !tt.ptr<!tt.ptr<f32>>) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<!tt.ptr<f32>> -> tensor<256x!tt.ptr<!tt.ptr<f32>>>
  %from = tt.addptr %ps, %range : tensor<256x!tt.ptr<!tt.ptr<f32>>>, tensor<256xi32>
  %to = tt.addptr %from, %one : tensor<256x!tt.ptr<!tt.ptr<f32>>>, tensor<256xi32>
  %x = tt.load %from : tensor<256x!tt.ptr<!tt.ptr<f32>>>
  tt.store %to, %x : tensor<256x!tt.ptr<!tt.ptr<f32>>>
  %y = tt.load %to : tensor<256x!tt.ptr<!tt.ptr<f32>>>
  %got = tt.ptr_to_int %y : tensor<256x!tt.ptr<f32>> -> tensor<256xi64>
  %expected = arith.extsi %range : tensor<256xi32> to tensor<256xi64>
  %same = arith.cmpi eq, %got, %expected : tensor<256xi64>
  tt.assert %same, "a load saw a later store" : tensor<256xi1>
  tt.return
}
