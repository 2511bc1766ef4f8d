// The addresses of an atomic update are in memory, where nothing says that they
// are neighbours, though all of them are the same number from the first.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 -O threads=1 i64[64]=random:1:0:9 i8[1]=full:7
// RUN: %{run} -O fast_paths=none --save 0=%t.npy
// RUN: %{run} -O fast_paths=all,-recompute --expect 0=%t.npy,0,0
// RUN: %{run} --expect 0=%t.npy,0,0
tt.func public @shifted(%p: !tt.ptr<i64>, %by: !tt.ptr<i8>) {
  %two = arith.constant dense<2> : tensor<32xi64>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bys = tt.splat %by : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
  %one = tt.load %bys : tensor<32x!tt.ptr<i8>>
  %shift = arith.extsi %one : tensor<32xi8> to tensor<32xi32>
  %index = arith.addi %shift, %range : tensor<32xi32>
  %all = tt.splat %p : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>>
  %to = tt.addptr %all, %index : tensor<32x!tt.ptr<i64>>, tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %to, %two : (tensor<32x!tt.ptr<i64>>, tensor<32xi64>) -> tensor<32xi64>
  tt.return
}
