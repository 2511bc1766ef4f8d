// All lanes store to one address: the last one remains, at every level.
// DEFINE: %{run} = nereid run %s --target cpu --grid 2 i8[640]=zeros
// RUN: %{run} -O fast_paths=none --save 0=%t.npy
// RUN: %{run} -O opt_level=0 --expect 0=%t.npy,0,0
// RUN: %{run} -O opt_level=2 --expect 0=%t.npy,0,0
// RUN: %{run} -O opt_level=3 --expect 0=%t.npy,0,0

tt.func public @scatter_to_one(%p: !tt.ptr<i8>) {
  %pid = tt.get_program_id x : i32
  %size = arith.constant 320 : i32
  %start = arith.muli %pid, %size : i32
  %own = tt.addptr %p, %start : !tt.ptr<i8>, i32
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %row = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %tile = tt.broadcast %row : tensor<1x8xi32> -> tensor<8x8xi32>
  %value = arith.trunci %tile : tensor<8x8xi32> to tensor<8x8xi8>
  %c32 = arith.constant dense<32> : tensor<8x8xi32>
  %ps = tt.splat %own : !tt.ptr<i8> -> tensor<8x8x!tt.ptr<i8>>
  %q = tt.addptr %ps, %c32 : tensor<8x8x!tt.ptr<i8>>, tensor<8x8xi32>
  tt.store %q, %value : tensor<8x8x!tt.ptr<i8>>
  tt.return
}
