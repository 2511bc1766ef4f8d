// Bounds that no i64 is beyond: nothing is loaded.
// RUN: nereid run %s --target cpu --grid 1 i32[128]=ones --no-cache
tt.func public @none(%p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %wide = arith.extsi %i : tensor<128xi32> to tensor<128xi64>
  %largest = arith.constant dense<9223372036854775807> : tensor<128xi64>
  %above = arith.cmpi sgt, %wide, %largest : tensor<128xi64>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %ps, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %other = arith.constant dense<-3> : tensor<128xi32>
  %x = tt.load %q, %above, %other : tensor<128x!tt.ptr<i32>>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<128xi32>) -> i32
  %expected = arith.constant -3 : i32
  %right = arith.cmpi eq, %sum, %expected : i32
  tt.assert %right, "an element that is masked off was loaded" : i1
  tt.return
}
