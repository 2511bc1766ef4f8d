// An atomic operation whose value is its own mask.
// RUN: nereid run %s --target cpu --grid 1 i1[16]=zeros --no-cache
tt.func public @exchange(%p: !tt.ptr<i1>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %eight = arith.constant dense<8> : tensor<16xi32>
  %m = arith.cmpi slt, %i, %eight : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<i1> -> tensor<16x!tt.ptr<i1>>
  %q = tt.addptr %ps, %i : tensor<16x!tt.ptr<i1>>, tensor<16xi32>
  %all = arith.constant dense<true> : tensor<16xi1>
  %old = tt.atomic_rmw exch, relaxed, gpu, %q, %m, %m : (tensor<16x!tt.ptr<i1>>, tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
  %new = tt.atomic_rmw or, relaxed, gpu, %q, %old, %all : (tensor<16x!tt.ptr<i1>>, tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
  %right = arith.cmpi eq, %new, %m : tensor<16xi1>
  tt.assert %right, "the exchange did not store its mask" : tensor<16xi1>
  tt.return
}
