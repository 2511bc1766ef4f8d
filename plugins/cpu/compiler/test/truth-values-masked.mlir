// Tiles of truth values in memory: loaded with a mask, and combined.
// RUN: nereid run %s --target cpu --grid 1 i1[16]=ones --no-cache
// RUN: nereid run %s --target cpu --grid 1 i1[16]=ones --no-cache -O fast_paths=none
tt.func public @kernel(%p: !tt.ptr<i1>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %eight = arith.constant dense<8> : tensor<16xi32>
  %low = arith.cmpi slt, %i, %eight : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<i1> -> tensor<16x!tt.ptr<i1>>
  %q = tt.addptr %ps, %i : tensor<16x!tt.ptr<i1>>, tensor<16xi32>
  %false = arith.constant dense<false> : tensor<16xi1>
  %same = tt.load %ps, %low, %false : tensor<16x!tt.ptr<i1>>
  %x = tt.load %q, %low, %false : tensor<16x!tt.ptr<i1>>
  %both = arith.andi %x, %same : tensor<16xi1>
  tt.store %q, %both : tensor<16x!tt.ptr<i1>>
  %now = tt.load %q : tensor<16x!tt.ptr<i1>>
  %right = arith.cmpi eq, %now, %low : tensor<16xi1>
  tt.assert %right, "not what the mask lets through" : tensor<16xi1>
  tt.return
}
