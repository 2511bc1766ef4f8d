// An amount that is not less than the width shifts all bits out.
// RUN: nereid run %s --target cpu --grid 1 i32[64]=range --no-cache
// RUN: nereid run %s --target cpu --grid 1 i32[64]=range --no-cache -O fast_paths=none

tt.func public @shift(%p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %amount = tt.load %at : tensor<64x!tt.ptr<i32>>
  %c31 = arith.constant dense<31> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %ones = arith.constant dense<-1> : tensor<64xi32>
  %some = arith.andi %amount, %c31 : tensor<64xi32>
  %fits = arith.cmpi ule, %amount, %c31 : tensor<64xi32>
  %x = arith.constant dense<-5> : tensor<64xi32>

  %left = arith.shli %x, %amount : tensor<64xi32>
  %someLeft = arith.shli %x, %some : tensor<64xi32>
  %expectedLeft = arith.select %fits, %someLeft, %zero : tensor<64xi1>, tensor<64xi32>
  %isLeft = arith.cmpi eq, %left, %expectedLeft : tensor<64xi32>
  tt.assert %isLeft, "shli" : tensor<64xi1>
  %right = arith.shrui %x, %amount : tensor<64xi32>
  %someRight = arith.shrui %x, %some : tensor<64xi32>
  %expectedRight = arith.select %fits, %someRight, %zero : tensor<64xi1>, tensor<64xi32>
  %isRight = arith.cmpi eq, %right, %expectedRight : tensor<64xi32>
  tt.assert %isRight, "shrui" : tensor<64xi1>
  %signed = arith.shrsi %x, %amount : tensor<64xi32>
  %someSigned = arith.shrsi %x, %some : tensor<64xi32>
  %expectedSigned = arith.select %fits, %someSigned, %ones : tensor<64xi1>, tensor<64xi32>
  %isSigned = arith.cmpi eq, %signed, %expectedSigned : tensor<64xi32>
  tt.assert %isSigned, "shrsi" : tensor<64xi1>
  tt.return
}
