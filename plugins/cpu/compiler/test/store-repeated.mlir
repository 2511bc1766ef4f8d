// If a store writes several elements to one address, the last in row-major
// order wins, whatever the loops: rows overlap here, and memory is contiguous
// along the other dimension. The kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 i32[64]=zeros i32=1 i32=1 --no-cache
// RUN: nereid run %s --target cpu --grid 1 i32[64]=zeros i32=1 i32=1 --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 i32[64]=zeros i32=1 i32=1 --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 i32[64]=zeros i32=1 i32=1 --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 i32[64]=zeros i32=1 i32=1 --no-cache -O vector_bits=128

tt.func public @rows(%p: !tt.ptr<i32>, %row: i32, %column: i32) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %is = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %js = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.splat %column : i32 -> tensor<1x16xi32>
  %jo = arith.muli %js, %columns : tensor<1x16xi32>
  %ib = tt.broadcast %is : tensor<32x1xi32> -> tensor<32x16xi32>
  %jb = tt.broadcast %jo : tensor<1x16xi32> -> tensor<32x16xi32>
  %offsets = arith.addi %ib, %jb : tensor<32x16xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<32x16x!tt.ptr<i32>>
  %at = tt.addptr %ps, %offsets : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi32>
  tt.store %at, %ib : tensor<32x16x!tt.ptr<i32>>
  %qs = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %qs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %x = tt.load %q : tensor<32x!tt.ptr<i32>>
  %same = arith.cmpi eq, %x, %i : tensor<32xi32>
  tt.assert %same, "a row below came last" : tensor<32xi1>
  tt.return
}
