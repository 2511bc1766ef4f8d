// A load sees the store before it although a later store of the same shape, in
// the nest of the first, may alias it. The kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 i32[64]=full:9 i32[64]=zeros --no-cache
// RUN: nereid run %s --target cpu --grid 1 i32[64]=full:9 i32[64]=zeros --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 i32[64]=full:9 i32[64]=zeros --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 i32[64]=full:9 i32[64]=zeros --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 i32[64]=full:9 i32[64]=zeros --no-cache -O vector_bits=128

tt.func public @between(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ones = arith.constant dense<1> : tensor<16xi32>
  %twos = arith.constant dense<2> : tensor<16xi32>
  %half = arith.constant dense<32> : tensor<16xi32>
  %p16 = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p64 = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q64 = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %low = tt.addptr %p16, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %high = tt.addptr %low, %half : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %all = tt.addptr %p64, %j : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %to = tt.addptr %q64, %j : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %low, %ones : tensor<16x!tt.ptr<i32>>
  %x = tt.load %all : tensor<64x!tt.ptr<i32>>
  tt.store %high, %twos : tensor<16x!tt.ptr<i32>>
  tt.store %to, %x : tensor<64x!tt.ptr<i32>>
  %y = tt.load %to : tensor<64x!tt.ptr<i32>>
  %sixteen = arith.constant dense<16> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %nine = arith.constant dense<9> : tensor<64xi32>
  %isLow = arith.cmpi slt, %j, %sixteen : tensor<64xi32>
  %expected = arith.select %isLow, %one, %nine : tensor<64xi1>, tensor<64xi32>
  %same = arith.cmpi eq, %y, %expected : tensor<64xi32>
  tt.assert %same, "the load does not see the store before it" : tensor<64xi1>
  tt.return
}
