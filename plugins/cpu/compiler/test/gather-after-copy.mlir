// The offsets of a copy are also the source of a gather, so that they have a
// buffer: a load that is copied before the nest that fills the buffer must not
// read it. The kernel checks itself; its indices are 255 - i.
// RUN: nereid run %s --target cpu --grid 1 i32[256]=range i32[256]=zeros i32[256]=zeros --no-cache
// RUN: nereid run %s --target cpu --grid 1 i32[256]=range i32[256]=zeros i32[256]=zeros --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 i32[256]=range i32[256]=zeros i32[256]=zeros --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 i32[256]=range i32[256]=zeros i32[256]=zeros --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 i32[256]=range i32[256]=zeros i32[256]=zeros --no-cache -O vector_bits=128

tt.func public @gathered(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xi = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %yi = tt.addptr %ys, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %oi = tt.addptr %outs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %value = tt.load %xi : tensor<256x!tt.ptr<i32>>
  tt.store %yi, %value : tensor<256x!tt.ptr<i32>>
  %copied = tt.load %yi : tensor<256x!tt.ptr<i32>>
  %where = arith.subi %last, %copied : tensor<256xi32>
  %found = tt.gather %i[%where] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  tt.store %oi, %found : tensor<256x!tt.ptr<i32>>
  %z = tt.load %oi : tensor<256x!tt.ptr<i32>>
  %sum = arith.addi %z, %i : tensor<256xi32>
  %same = arith.cmpi eq, %sum, %last : tensor<256xi32>
  tt.assert %same, "a gather read what was not written" : tensor<256xi1>
  tt.return
}
