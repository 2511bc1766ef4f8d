// A stride whose multiples reach the least i64 has no interval.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[1]=ones f32[2]=zeros
// RUN: %{run} -O fast_paths=none --save 1=%t.npy
// RUN: %{run} --expect 1=%t.npy,0,0
tt.func public @all(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %wide = arith.extsi %i : tensor<2xi32> to tensor<2xi64>
  %stride = arith.constant dense<-4611686018427387904> : tensor<2xi64>
  %side = arith.muli %wide, %stride : tensor<2xi64>
  %least = arith.constant dense<-9223372036854775808> : tensor<2xi64>
  %mask = arith.cmpi sge, %side, %least : tensor<2xi64>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
  %x = tt.load %ps, %mask : tensor<2x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
  %q = tt.addptr %outs, %i : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
  tt.store %q, %x : tensor<2x!tt.ptr<f32>>
  tt.return
}
