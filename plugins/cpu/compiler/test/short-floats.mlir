// A uniform bf16 beside others that differ by lane: moved as integers, also on
// a machine without bf16 arithmetic. The kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 bf16[256]=range i32=100 --no-cache
// RUN: nereid run %s --target cpu --grid 1 bf16[256]=range i32=100 --no-cache -O cpu=x86-64-v2
// RUN: nereid run %s --target cpu --grid 1 bf16[256]=range i32=100 --no-cache -O cpu=x86-64-v3
// RUN: nereid run %s --target cpu --grid 1 bf16[256]=range i32=100 --no-cache -O fast_paths=none

tt.func public @larger(%p: !tt.ptr<bf16>, %at: i32) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %one = tt.addptr %p, %at : !tt.ptr<bf16>, i32
  %x = tt.load %one : !tt.ptr<bf16>
  %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
  %all = tt.addptr %ps, %range : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
  %y = tt.load %all : tensor<256x!tt.ptr<bf16>>
  %xs = tt.splat %x : bf16 -> tensor<256xbf16>
  %max = arith.maxnumf %xs, %y : tensor<256xbf16>
  %ats = tt.splat %at : i32 -> tensor<256xi32>
  %larger = arith.maxsi %ats, %range : tensor<256xi32>
  %expected = arith.sitofp %larger : tensor<256xi32> to tensor<256xbf16>
  %same = arith.cmpf oeq, %max, %expected : tensor<256xbf16>
  tt.assert %same, "the larger of two" : tensor<256xi1>
  tt.return
}
