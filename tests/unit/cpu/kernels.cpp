// kernels.cpp - the text of the kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels.h"

namespace nereid::cpu::test {

// Every kernel is a loop over programs around a body, which sees %args,
// %launch, %scratch and %program, and ends with `br label %next` or returns.
static std::string loopOverPrograms(const std::string &declarations,
                                    const std::string &body,
                                    const std::string &metadata) {
  return declarations + R"(
define i32 @nereid_cpu_entry(ptr %args, ptr %launch, ptr %ids, i64 %count,
                             ptr %scratch) {
entry:
  %first.x.32 = load i32, ptr %ids
  %first.y.at = getelementptr i32, ptr %ids, i64 1
  %first.y.32 = load i32, ptr %first.y.at
  %first.z.at = getelementptr i32, ptr %ids, i64 2
  %first.z.32 = load i32, ptr %first.z.at
  %columns.at = getelementptr i32, ptr %launch, i64 1
  %columns.32 = load i32, ptr %columns.at
  %rows.at = getelementptr i32, ptr %launch, i64 2
  %rows.32 = load i32, ptr %rows.at
  %first.x = zext i32 %first.x.32 to i64
  %first.y = zext i32 %first.y.32 to i64
  %first.z = zext i32 %first.z.32 to i64
  %columns = zext i32 %columns.32 to i64
  %rows = zext i32 %rows.32 to i64
  %planes = mul i64 %first.z, %rows
  %row = add i64 %planes, %first.y
  %row.start = mul i64 %row, %columns
  %first = add i64 %row.start, %first.x
  %end = add i64 %first, %count
  br label %body
body:
  %program = phi i64 [ %first, %entry ], [ %program.next, %next ]
)" + body +
         R"(
next:
  %program.next = add i64 %program, 1
  %more = icmp ult i64 %program.next, %end
  br i1 %more, label %body, label %exit
exit:
  ret i32 0
}
)" + metadata;
}

std::string addKernel() {
  return loopOverPrograms("", R"(
  %a = load ptr, ptr %args
  %b.at = getelementptr i8, ptr %args, i64 8
  %b = load ptr, ptr %b.at
  %out.at = getelementptr i8, ptr %args, i64 16
  %out = load ptr, ptr %out.at
  %n.at = getelementptr i8, ptr %args, i64 24
  %n32 = load i32, ptr %n.at
  %n = sext i32 %n32 to i64
  %base = shl i64 %program, 10
  %block.end = add i64 %base, 1024
  %fits = icmp sle i64 %block.end, %n
  %limit = select i1 %fits, i64 %block.end, i64 %n
  %vectors.end = sub i64 %limit, 15
  br label %vector.head
vector.head:
  %i = phi i64 [ %base, %body ], [ %i.next, %vector ]
  %is.full = icmp slt i64 %i, %vectors.end
  br i1 %is.full, label %vector, label %tail.head
vector:
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %po = getelementptr float, ptr %out, i64 %i
  %va = load <16 x float>, ptr %pa, align 4
  %vb = load <16 x float>, ptr %pb, align 4
  %sum = fadd <16 x float> %va, %vb
  store <16 x float> %sum, ptr %po, align 4
  %i.next = add i64 %i, 16
  br label %vector.head
tail.head:
  %j = phi i64 [ %i, %vector.head ], [ %j.next, %tail ]
  %has.tail = icmp slt i64 %j, %limit
  br i1 %has.tail, label %tail, label %next
tail:
  %qa = getelementptr float, ptr %a, i64 %j
  %qb = getelementptr float, ptr %b, i64 %j
  %qo = getelementptr float, ptr %out, i64 %j
  %sa = load float, ptr %qa
  %sb = load float, ptr %qb
  %ss = fadd float %sa, %sb
  store float %ss, ptr %qo
  %j.next = add i64 %j, 1
  br label %tail.head
)",
                          R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{!"name", !"add_kernel"}
!1 = !{!"argument", !"a", !"*f32", i64 0}
!2 = !{!"argument", !"b", !"*f32", i64 8}
!3 = !{!"argument", !"out", !"*f32", i64 16}
!4 = !{!"argument", !"n", !"i32", i64 24}
!5 = !{!"arguments_size", i64 32}
!6 = !{!"bytes_per_program", i64 12288}
!7 = !{!"flops_per_program", i64 1024}
)");
}

std::string orderKernel(bool neverWaits) {
  return loopOverPrograms(
      "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n", R"(
  %order = load ptr, ptr %args
  %next.at = getelementptr i8, ptr %args, i64 8
  %counter = load ptr, ptr %next.at
  call void @llvm.memset.p0.i64(ptr %scratch, i8 1, i64 4096, i1 false)
  %slot = atomicrmw add ptr %counter, i64 1 monotonic
  %place = getelementptr i64, ptr %order, i64 %slot
  store i64 %program, ptr %place
  br label %next
)",
      R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3, !4, !5, !6}
!0 = !{!"name", !"order_kernel"}
!1 = !{!"argument", !"order", !"*i64", i64 0}
!2 = !{!"argument", !"next", !"*i64", i64 8}
!3 = !{!"arguments_size", i64 16}
!4 = !{!"scratch_size", i64 4096}
!5 = !{!"flags", i64 )" +
          std::string(neverWaits ? "17" : "1") + R"(}
!6 = !{!"flops_per_program", i64 1000000}
)");
}

std::string scratchKernel() {
  return loopOverPrograms("", R"(
  %out = load ptr, ptr %args
  %found = load i64, ptr %scratch
  store i64 7, ptr %scratch
  %place = getelementptr i64, ptr %out, i64 %program
  store i64 %found, ptr %place
  br label %next
)",
                          R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3}
!0 = !{!"name", !"scratch_kernel"}
!1 = !{!"argument", !"out", !"*i64", i64 0}
!2 = !{!"arguments_size", i64 8}
!3 = !{!"scratch_size", i64 64}
)");
}

std::string assertKernel() {
  // The services are at offset 16 of the launch, its state at 24; `fail` is
  // at offset 24 of the services.
  return loopOverPrograms(
      "@message = private constant [19 x i8] c\"element is negative\"\n", R"(
  %which32 = load i32, ptr %args
  %which = zext i32 %which32 to i64
  %bad = icmp eq i64 %program, %which
  br i1 %bad, label %fails, label %next
fails:
  %services.at = getelementptr i8, ptr %launch, i64 16
  %services = load ptr, ptr %services.at
  %state.at = getelementptr i8, ptr %launch, i64 24
  %state = load ptr, ptr %state.at
  %fail.at = getelementptr i8, ptr %services, i64 24
  %fail = load ptr, ptr %fail.at
  call void %fail(ptr %state, i32 %which32, i32 0, i32 0, ptr @message, i64 19)
  ret i32 1
)",
      R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3, !4}
!0 = !{!"name", !"assert_kernel"}
!1 = !{!"argument", !"which", !"i32", i64 0}
!2 = !{!"arguments_size", i64 8}
!3 = !{!"flags", i64 4}
!4 = !{!"flops_per_program", i64 1000000}
)");
}

std::string printKernel() {
  return loopOverPrograms(
      "@line = private constant [8 x i8] c\"program\\0A\"\n", R"(
  %services.at = getelementptr i8, ptr %launch, i64 16
  %services = load ptr, ptr %services.at
  %state.at = getelementptr i8, ptr %launch, i64 24
  %state = load ptr, ptr %state.at
  %print.at = getelementptr i8, ptr %services, i64 8
  %print = load ptr, ptr %print.at
  call void %print(ptr %state, ptr @line, i64 8)
  br label %next
)",
      R"(
!nereid.cpu.kernel = !{!0, !1}
!0 = !{!"name", !"print_kernel"}
!1 = !{!"flags", i64 2}
)");
}

std::string fmodKernel() {
  return loopOverPrograms("", R"(
  %a = load ptr, ptr %args
  %out.at = getelementptr i8, ptr %args, i64 8
  %out = load ptr, ptr %out.at
  %pa = getelementptr float, ptr %a, i64 %program
  %po = getelementptr float, ptr %out, i64 %program
  %x = load float, ptr %pa
  %r = frem float %x, 3.0
  store float %r, ptr %po
  br label %next
)",
                          R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3}
!0 = !{!"name", !"fmod_kernel"}
!1 = !{!"argument", !"a", !"*f32", i64 0}
!2 = !{!"argument", !"out", !"*f32", i64 8}
!3 = !{!"arguments_size", i64 16}
)");
}

std::string meetKernel() {
  return loopOverPrograms("", R"(
  %arrived = load ptr, ptr %args
  %programs.at = getelementptr i8, ptr %args, i64 8
  %programs = load i64, ptr %programs.at
  %before = atomicrmw add ptr %arrived, i64 1 seq_cst
  br label %wait
wait:
  %now = load atomic i64, ptr %arrived seq_cst, align 8
  %are.all = icmp uge i64 %now, %programs
  br i1 %are.all, label %next, label %wait
)",
                          R"(
!nereid.cpu.kernel = !{!0, !1, !2, !3, !4}
!0 = !{!"name", !"meet_kernel"}
!1 = !{!"argument", !"arrived", !"*i64", i64 0}
!2 = !{!"argument", !"programs", !"i64", i64 8}
!3 = !{!"arguments_size", i64 16}
!4 = !{!"flags", i64 1}
)");
}

} // namespace nereid::cpu::test
