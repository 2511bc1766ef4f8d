// A mask of loaded indices, which a nest writes to scratch as it uses them:
// such a condition cannot be evaluated before the loops of the nest.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[1024]=zeros i64[8]=range i64[8]=range f32[8]=random:3 i32=32 i32=32 i32=8 i32=32 i32=8
// RUN: %{run} -O fast_paths=none --save 0=%t.npy
// RUN: %{run} --expect 0=%t.npy,0,0

module {
  tt.func public @k(%inp: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %i0: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %i1: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %vals: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %S0: i32 {tt.divisibility = 16 : i32}, %S1: i32 {tt.divisibility = 16 : i32}, %n0: i32, %st0: i32 {tt.divisibility = 16 : i32}, %M: i32) attributes {noinline = false} {
    %cst = arith.constant dense<0> : tensor<8x1xi64>
    %m = arith.constant dense<1> : tensor<1x1xi32>
    %c8_i32 = arith.constant 8 : i32
    %o0 = tt.get_program_id x : i32
    %o0_0 = arith.muli %o0, %c8_i32 : i32
    %o0_1 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %o0_2 = tt.expand_dims %o0_1 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %o0_3 = tt.splat %o0_0 : i32 -> tensor<8x1xi32>
    %o0_4 = arith.addi %o0_3, %o0_2 : tensor<8x1xi32>
    %o1 = tt.get_program_id y : i32
    %o1_5 = tt.splat %o1 : i32 -> tensor<1x1xi32>
    %x = tt.splat %n0 : i32 -> tensor<8x1xi32>
    %x_6 = arith.remsi %o0_4, %x : tensor<8x1xi32>
    %m0 = tt.splat %M : i32 -> tensor<8x1xi32>
    %m0_7 = arith.cmpi slt, %o0_4, %m0 : tensor<8x1xi32>
    %c0 = tt.splat %i0 : !tt.ptr<i64> -> tensor<8x1x!tt.ptr<i64>>
    %c0_8 = tt.addptr %c0, %x_6 : tensor<8x1x!tt.ptr<i64>>, tensor<8x1xi32>
    %c0_9 = tt.load %c0_8, %m0_7, %cst : tensor<8x1x!tt.ptr<i64>>
    %c1 = tt.splat %i1 : !tt.ptr<i64> -> tensor<8x1x!tt.ptr<i64>>
    %c1_10 = tt.addptr %c1, %x_6 : tensor<8x1x!tt.ptr<i64>>, tensor<8x1xi32>
    %c1_11 = tt.load %c1_10, %m0_7, %cst : tensor<8x1x!tt.ptr<i64>>
    %im = arith.cmpi sge, %c0_9, %cst : tensor<8x1xi64>
    %im_12 = arith.extsi %S0 : i32 to i64
    %im_13 = tt.splat %im_12 : i64 -> tensor<8x1xi64>
    %im_14 = arith.cmpi slt, %c0_9, %im_13 : tensor<8x1xi64>
    %im_15 = arith.andi %im, %im_14 : tensor<8x1xi1>
    %im_16 = arith.cmpi sge, %c1_11, %cst : tensor<8x1xi64>
    %im_17 = arith.andi %im_15, %im_16 : tensor<8x1xi1>
    %im_18 = arith.extsi %S1 : i32 to i64
    %im_19 = tt.splat %im_18 : i64 -> tensor<8x1xi64>
    %im_20 = arith.cmpi slt, %c1_11, %im_19 : tensor<8x1xi64>
    %im_21 = arith.andi %im_17, %im_20 : tensor<8x1xi1>
    %m_22 = arith.andi %im_21, %m0_7 : tensor<8x1xi1>
    %m_23 = arith.cmpi slt, %o1_5, %m : tensor<1x1xi32>
    %m_24 = tt.broadcast %m_23 : tensor<1x1xi1> -> tensor<8x1xi1>
    %m_25 = arith.andi %m_22, %m_24 : tensor<8x1xi1>
    %v = tt.splat %vals : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
    %v_26 = tt.addptr %v, %x_6 : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
    %v_27 = tt.load %v_26, %m_25 : tensor<8x1x!tt.ptr<f32>>
    %0 = arith.extsi %st0 : i32 to i64
    %1 = tt.splat %0 : i64 -> tensor<8x1xi64>
    %2 = arith.muli %c0_9, %1 : tensor<8x1xi64>
    %3 = tt.splat %inp : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
    %4 = tt.addptr %3, %2 : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi64>
    %5 = tt.addptr %4, %c1_11 : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi64>
    tt.store %5, %v_27, %m_25 : tensor<8x1x!tt.ptr<f32>>
    tt.return
  }
}
