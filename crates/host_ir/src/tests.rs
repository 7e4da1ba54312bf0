//! Launches that are read from host code.
//!
//! **Size:** a list of short tests, one for each form of host code.

use super::*;
use crate::relation::{Axis, Name};

const IR: &str = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
@1 = private unnamed_addr constant [10 x i8] c"_Z4eachPi\00", align 1
@2 = private unnamed_addr constant [10 x i8] c"_Z4gonePi\00", align 1
declare void @_ZL4eachPi(ptr noundef, i32 noundef)
define dso_local void @main(i32 noundef %0, ptr %1) {
  %12 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16

14:                                               ; preds = %2
  call void @_Z18__device_stub__rowPi(ptr noundef %1, i32 noundef 64)
  br label %16

16:                                               ; preds = %2, %14
  %17 = add nsw i32 %0, 255
  %18 = sdiv i32 %17, 256
  %19 = zext i32 %18 to i64
  %20 = or disjoint i64 %19, 4294967296
  %21 = call i32 @__cudaPushCallConfiguration(i64 %20, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %26

23:                                               ; preds = %16
  call void @_ZL4eachPi(ptr noundef %1, i32 noundef %0)
  br label %26

26:                                               ; preds = %16, %23
  call void @take(ptr @_Z4gonePi)
  ret void
}
define hidden void @_Z3rowPi(ptr noundef %0, i32 %1) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0, i32 noundef %1)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_ZL4eachPi, ptr @1, ptr @1, i32 -1)
  %3 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z4gonePi, ptr @2, ptr @2, i32 -1)
  ret void
}
"#;

/// Returns the calls that launch a kernel.
fn of<'a>(found: &'a Launches, kernel: &str) -> &'a [HostLaunch] {
    found.kernels[kernel].calls.as_deref().expect("all calls are known")
}

#[test]
fn launches_are_read() {
    let found = launches(&[IR], &objects::Unencoded);
    assert_eq!(found.kernels.keys().collect::<Vec<_>>(), ["_Z3rowPi", "_Z4eachPi"]);
    let row = &of(&found, "_Z3rowPi")[0];
    let all = row.concrete.as_ref().expect("all is known of it");
    assert_eq!((all.len(), all[0].grid, all[0].block), (1, [4, 1, 1], [64, 1, 1]));
    assert_eq!(all[0].arguments[1].pieces, [Piece { offset: 0, bytes: 4, number: Number::Bits(64) }]);
    let facts = row.constraints.without_overflow(&[Parameter::scalar(8), Parameter::scalar(4)]);
    assert_eq!((facts.grid, facts.block), (Some([4, 1, 1]), Some([64, 1, 1])));
    assert_eq!(facts.scalars[&(1, 0)], 64);
    // A structure is passed in two parts.
    let other = row.constraints.without_overflow(&[Parameter::structure(16)]);
    assert_eq!((other.block, other.scalars.len()), (Some([64, 1, 1]), 0));
    assert_eq!(other.relations.iter().map(|r| r.text.as_str()).collect::<Vec<_>>(), ["arg0[8] == 64"]);
    let each = &of(&found, "_Z4eachPi")[0];
    assert!(each.concrete.is_none());
    let each = each.constraints.without_overflow(&[Parameter::scalar(8), Parameter::scalar(4)]);
    assert_eq!((each.grid, each.block), (None, Some([256, 1, 1])));
    let holds = |grid: i128, n: i128| {
        let value = |name: &Name| match name {
            Name::Grid(Axis::X) => Some(grid),
            Name::Grid(_) => Some(1),
            Name::Block(Axis::X) => Some(256),
            Name::Block(_) => Some(1),
            Name::Param(_) => Some(n),
            Name::Host(_) | Name::Part(_) | Name::Offset(_) => None,
        };
        each.relations.iter().all(|r| r.holds(&value) == Some(true))
    };
    for n in [1, 255, 256, 257, 1000] {
        for grid in 1..6 {
            assert_eq!(holds(grid, n), grid == (n + 255) / 256, "{grid} blocks for {n}");
        }
    }
}

/// A function is analysed even if its first block has a label, as after inlining.
#[test]
fn the_first_block_may_have_a_label() {
    let labelled = IR
        .replace("{\n  %12 =", "{\n_Z5startv.exit:\n  %12 =")
        .replace("; preds = %2", "; preds = %_Z5startv.exit");
    assert_ne!(labelled, IR);
    let (found, expected) =
        (launches(&[&labelled], &objects::Unencoded), launches(&[IR], &objects::Unencoded));
    assert_eq!(found.kernels.keys().collect::<Vec<_>>(), expected.kernels.keys().collect::<Vec<_>>());
    assert_eq!(of(&found, "_Z3rowPi")[0].concrete, of(&expected, "_Z3rowPi")[0].concrete);
}

/// A branch to a label that no block has was taken for one to the function's beginning.
#[test]
fn a_branch_to_an_unknown_label_loses_the_host_code() {
    let torn = IR.replace("br i1 %13, label %14, label %16", "br i1 %13, label %14, label %elsewhere");
    assert_ne!(torn, IR);
    let found = launches(&[&torn], &objects::Unencoded);
    assert!(found.kernels.is_empty());
    assert!(found.lost.is_some_and(|why| why.contains("has no label `elsewhere`")));
}

/// Host code that counts to a thousand million.
const COUNTS: &str = "define i32 @main() {
  br label %1
1:
  %i = phi i64 [ 0, %0 ], [ %n, %1 ]
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 1000000000
  br i1 %c, label %2, label %1
2:
  ret i32 0
}
";

/// Only a number of instructions bounded the execution of host code, whatever `--timeout` said.
#[test]
fn the_execution_of_host_code_ends_with_its_time() {
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) >= 3;
    let found = launches_until(&[COUNTS], &objects::Unencoded, &stop);
    assert!(found.lost.is_some_and(|why| why.contains("its time is used up")));
    assert_eq!(asked.get(), 4);
}

/// Nothing is concluded if a stub may be called without a configuration, or if its address escapes.
#[test]
fn what_is_not_understood_says_nothing() {
    let shared = IR.replace("br i1 %13, label %14, label %16", "br i1 %13, label %14, label %14");
    assert!(launches(&[&shared], &objects::Unencoded).get("_Z3rowPi").is_none_or(|l| l.calls.is_none()));
    let taken = IR.replace("@take(ptr @_Z4gonePi)", "@take(ptr @_ZL4eachPi)");
    assert!(launches(&[&taken], &objects::Unencoded).get("_Z4eachPi").is_none());
}

/// The program allocates rows with `cudaMallocPitch`.
const PITCHED: &str = r#"
@0 = private unnamed_addr constant [13 x i8] c"_Z7pitchedPm\00", align 1
define dso_local i32 @main(i32 noundef %0, ptr %1) {
  %a = alloca ptr, align 8
  %w = alloca i64, align 8
  store i64 0, ptr %w, align 8
  %m = call i32 @cudaMallocPitch(ptr noundef %a, ptr noundef %w, i64 noundef 400, i64 noundef 8)
  %b = load ptr, ptr %a, align 8
  %p = load i64, ptr %w, align 8
  %c = call i32 @__cudaPushCallConfiguration(i64 4294967304, i32 1, i64 4294967396, i32 1, i64 0, ptr null)
  %k = icmp eq i32 %c, 0
  br i1 %k, label %call, label %end

call:                                             ; preds = %2
  call void @_Z7pitchedPm(ptr noundef %b, i64 noundef %p)
  br label %end

end:                                              ; preds = %2, %call
  ret i32 0
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z7pitchedPm, ptr @0, ptr @0, i32 -1)
  ret void
}
"#;

#[test]
fn rows_are_as_far_apart_as_they_are_wide_at_least() {
    let relations = |text: &str| {
        let found = launches(&[text], &objects::Unencoded);
        let launch = of(&found, "_Z7pitchedPm")[0].clone();
        assert!(found.kernels.values().all(|k| k.tried.is_empty()), "{launch:?}");
        let facts = launch.constraints.without_overflow(&[Parameter::scalar(8), Parameter::scalar(8)]);
        assert_eq!((facts.grid, facts.block), (Some([8, 1, 1]), Some([100, 1, 1])));
        facts.relations
    };
    let holds = |pitch: i128, all: &[crate::relation::Relation]| {
        let value = |name: &Name| matches!(name, Name::Param(_)).then_some(pitch);
        all.iter().all(|r| r.holds(&value) != Some(false))
    };
    let told = relations(PITCHED);
    assert!(holds(400, &told) && holds(512, &told) && !holds(399, &told), "{told:?}");
    // The pitch may be that of either allocation.
    let again = "@cudaMallocPitch(ptr noundef %a, ptr noundef %w, i64 noundef 40, i64 noundef 8)";
    let twice = PITCHED.replace("  %b = load", &format!("  %n = call i32 {again}\n  %b = load"));
    assert!(holds(41, &relations(&twice)));
}

/// A launch in a loop stands for several launches; one behind a condition that never holds stands for none.
#[test]
fn loops_are_followed_turn_by_turn() {
    let ir = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
@1 = private unnamed_addr constant [9 x i8] c"_Z3offPi\00", align 1
define dso_local i32 @main(i32 noundef %0, ptr %1) {
  br label %3

3:                                                ; preds = %2, %9
  %4 = phi i32 [ 8, %2 ], [ %10, %9 ]
  %5 = zext i32 %4 to i64
  %6 = or disjoint i64 %5, 4294967296
  %7 = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %6, i32 1, i64 0, ptr null)
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %20, label %9

20:                                               ; preds = %3
  call void @_Z18__device_stub__rowPi(ptr noundef %1, i32 noundef %4)
  br label %9

9:                                                ; preds = %3, %20
  %10 = lshr i32 %4, 1
  %11 = icmp ugt i32 %4, 1
  br i1 %11, label %3, label %12

12:                                               ; preds = %9
  %13 = icmp eq i32 %4, 2
  br i1 %13, label %14, label %17

14:                                               ; preds = %12
  %15 = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967297, i32 1, i64 0, ptr null)
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %18, label %17

18:                                               ; preds = %14
  call void @_Z18__device_stub__offPi(ptr noundef %1)
  br label %17

17:                                               ; preds = %12, %14, %18
  ret i32 0
}
define hidden void @_Z3rowPi(ptr noundef %0, i32 %1) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0, i32 noundef %1)
  ret void
}
define hidden void @_Z3offPi(ptr noundef %0) {
  tail call void @_Z18__device_stub__offPi(ptr noundef %0)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3offPi, ptr @1, ptr @1, i32 -1)
  ret void
}
"#;
    let found = launches(&[ir], &objects::Unencoded);
    let all = of(&found, "_Z3rowPi")[0].concrete.as_ref().expect("its turns are known");
    assert_eq!(all.iter().map(|c| c.block[0]).collect::<Vec<_>>(), [8, 4, 2, 1]);
    assert!(of(&found, "_Z3offPi").is_empty(), "{:?}", found.kernels["_Z3offPi"]);
}

/// A block of its own writes a variable again, under a condition.
const WRITTEN: &str = r#"
@0 = private unnamed_addr constant [12 x i8] c"_Z5laterPii\00", align 1
define dso_local i32 @main(i32 noundef %0, ptr %1) {
  %w = alloca i64, align 8
  store i64 4294967360, ptr %w, align 8
  br label %head

head:                                             ; preds = %2, %next
  %i = phi i32 [ 0, %2 ], [ %n, %next ]
  %c = icmp eq i32 %CONDITION, 2
  br i1 %c, label %more, label %start

more:                                             ; preds = %head
  store i64 4294967424, ptr %w, align 8
  br label %start

start:                                            ; preds = %head, %more
  %b = load i64, ptr %w, align 8
  %p = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %b, i32 1, i64 noundef 0, ptr noundef null)
  %k = icmp eq i32 %p, 0
  br i1 %k, label %call, label %next

call:                                             ; preds = %start
  call void @_Z5laterPii(ptr noundef %1, i32 noundef 64)
  br label %next

next:                                             ; preds = %start, %call
  %n = add nsw i32 %i, 1
  %e = icmp eq i32 %n, 4
  br i1 %e, label %end, label %head

end:                                              ; preds = %next
  ret i32 0
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z5laterPii, ptr @0, ptr @0, i32 -1)
  ret void
}
"#;

#[test]
fn a_write_in_another_turn_of_a_loop_counts() {
    let text = WRITTEN.replace("CONDITION", "i");
    let found = launches(&[&text], &objects::Unencoded);
    // In the last iteration the variable still has the value that the third one has written.
    let later = &of(&found, "_Z5laterPii")[0];
    assert!(later.concrete.is_none() && later.unasked.is_none(), "{later:?}");
}

#[test]
fn without_arguments_some_writes_are_never_made() {
    // If the loop affects the condition, another iteration is possible; before the loop the value is known.
    let inside = WRITTEN.replace("CONDITION", "0");
    let found = launches(&[&inside], &objects::Unencoded);
    assert!(of(&found, "_Z5laterPii")[0].unasked.is_none());
    let before = WRITTEN
        .replace("  br label %head\n\nhead:", "  %d = icmp eq i32 %0, 2\n  br i1 %d, label %other, label %head\n\nother:\n  store i64 4294967424, ptr %w, align 8\n  br label %head\n\nhead:")
        .replace("[ 0, %2 ]", "[ 0, %2 ], [ 0, %other ]")
        .replace("  store i64 4294967424, ptr %w, align 8\n  br label %start", "  br label %start")
        .replace("CONDITION", "i");
    let found = launches(&[&before], &objects::Unencoded);
    let later = &of(&found, "_Z5laterPii")[0];
    assert!(later.concrete.is_none(), "{later:?}");
    let unasked = later.unasked.as_ref().expect("known then").concrete.as_ref().expect("in numbers");
    assert_eq!((unasked.len(), unasked[0].block), (1, [64, 1, 1]));
}

/// Returns the relations of a kernel launch in a function with these instructions, which compute the grid as
/// `%11`.
fn passed(parameter: &str, before: &str, arguments: &str) -> Vec<String> {
    let ir = format!(
        r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
define dso_local void @go(ptr noundef %0, {parameter} %1) {{
{before}
  %12 = call i32 @__cudaPushCallConfiguration(i64 %11, i32 1, i64 4294967312, i32 1, i64 noundef 0, ptr noundef null)
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %20

14:
  call void @_Z18__device_stub__rowPi(ptr noundef %0, {arguments})
  br label %20

20:
  ret void
}}
define hidden void @_Z3rowPi(ptr noundef %0, i32 %1, i64 %2) {{
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0, i32 noundef %1, i64 noundef %2)
  ret void
}}
define internal void @__sti____cudaRegisterAll() {{
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  ret void
}}
"#
    );
    let facts = of(&launches(&[&ir], &objects::Unencoded), "_Z3rowPi")[0].constraints.without_overflow(&[
        Parameter::scalar(8),
        Parameter::scalar(4),
        Parameter::scalar(8),
    ]);
    facts.relations.iter().map(|r| r.text.clone()).collect()
}

/// Two 32-bit numbers in one of 64 bits: neither the lower one nor a quotient of it may stand for the whole.
#[test]
fn a_structure_of_two_numbers_is_not_a_number() {
    let before = "\
  %3 = trunc i64 %1 to i32
  %4 = lshr i64 %1, 32
  %5 = icmp sgt i64 %1, 4294967295
  br i1 %5, label %6, label %20

6:
  %7 = add nsw i32 %3, 15
  %8 = sdiv i32 %7, 16
  %9 = zext i32 %8 to i64
  %10 = shl nuw i64 %4, 32
  %11 = or disjoint i64 %10, %9
  %15 = shl i64 %1, 32
  %16 = ashr exact i64 %15, 30";
    let all = passed("i64", before, "i32 noundef %3, i64 noundef %16");
    assert!(all.iter().all(|text| !text.contains("4294967")), "{all:?}");
    // The lower number is passed to the kernel, and the columns depend on it.
    assert!(all.iter().any(|text| text == "16 * gridDim.x <= arg1 + 15"), "{all:?}");
    assert!(all.iter().any(|text| text == "arg2 == 4 * arg1"), "{all:?}");
    // Two 16-bit numbers are packed into one of 32 bits.
    let before = "\
  %3 = shl i32 %1, 16
  %4 = ashr exact i32 %3, 16
  %5 = ashr i32 %1, 16
  %7 = zext i32 %5 to i64
  %10 = shl nuw i64 %7, 32
  %9 = zext i32 %4 to i64
  %11 = or disjoint i64 %10, %9
  %16 = sext i32 %4 to i64";
    let all = passed("i32", before, "i32 noundef %4, i64 noundef %16");
    assert!(all.iter().all(|text| !(text.contains("65536") && text.contains("arg"))), "{all:?}");
    assert!(all.iter().any(|text| text == "arg2 == arg1"), "{all:?}");
}

/// A host thread whose function appears in a virtual function table only.
const THREAD: &str = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
@"_ZTVN5StateIZ4mainE3$_0E" = internal constant { [1 x ptr] } { [1 x ptr] [ptr @"_ZN5StateIZ4mainE3$_0E3runEv"] }, align 8
declare void @_Z18__device_stub__rowPi(ptr noundef)
define dso_local i32 @main() {
  call void @start(ptr @"_ZTVN5StateIZ4mainE3$_0E")
  ret i32 0
}
define internal void @"_ZN5StateIZ4mainE3$_0E3runEv"(ptr noundef %0) {
  %2 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  call void @_Z18__device_stub__rowPi(ptr noundef %0)
  br label %5

5:                                                ; preds = %1, %4
  ret void
}
define hidden void @_Z3rowPi(ptr noundef %0) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  ret void
}
"#;

#[test]
fn launches_in_functions_whose_names_are_in_quotation_marks_are_seen() {
    let found = launches(&[THREAD], &objects::Unencoded);
    let row = &of(&found, "_Z3rowPi")[0];
    let all = row.concrete.as_ref().expect("its extents are known");
    assert_eq!((all.len(), all[0].grid, all[0].block), (1, [4, 1, 1], [64, 1, 1]));
    assert!(found.lost.is_some() && found.kernels["_Z3rowPi"].made.is_none());
}

/// Returns the IR of a program with this `main` and a kernel `row`, whose stub gets a pointer and a number.
fn with_row(main: &str) -> String {
    let row = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
define hidden void @_Z3rowPi(ptr noundef %0, i64 %1) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0, i64 %1)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  ret void
}
"#;
    format!("{main}{row}")
}

/// clang quotes labels that have the name of a lambda.
#[test]
fn blocks_with_quoted_labels_are_blocks() {
    let ir = with_row(
        r#"
define dso_local i32 @main(i32 noundef %0, ptr %1) {
  %3 = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967328, i32 1, i64 0, ptr null)
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %"_ZZ4mainENK3$_0clEi.exit"

5:                                                ; preds = %2
  call void @_Z18__device_stub__rowPi(ptr noundef %1, i64 noundef 1)
  br label %"_ZZ4mainENK3$_0clEi.exit"

"_ZZ4mainENK3$_0clEi.exit":                       ; preds = %2, %5
  ret i32 0
}
"#,
    );
    let module = ir::Module::read(&ir);
    let main = module.functions.iter().find(|f| f.name == "main").expect("it is there");
    let ways: Vec<&[usize]> = main.blocks.iter().map(|b| &b.successors[..]).collect();
    assert_eq!(ways, [&[1, 2][..], &[2], &[]]);
    let found = launches(&[&ir], &objects::Unencoded);
    let made = found.kernels["_Z3rowPi"].made.as_ref().expect("main is executed");
    assert_eq!(made.iter().map(|l| (l.grid, l.sure)).collect::<Vec<_>>(), [([2, 1, 1], true)]);
}

/// `std::stoi` looks at `errno` behind `strtol`.
#[test]
fn errno_is_followed() {
    let ir = with_row(
        r#"
define dso_local i32 @main(i32 noundef %0, ptr %1) {
  %3 = icmp sgt i32 %0, 1
  br i1 %3, label %4, label %15

4:                                                ; preds = %2
  %5 = getelementptr inbounds ptr, ptr %1, i64 1
  %6 = load ptr, ptr %5, align 8
  %7 = call ptr @__errno_location()
  store i32 0, ptr %7, align 4
  %8 = call i64 @strtol(ptr noundef %6, ptr noundef null, i32 noundef 10)
  %9 = load i32, ptr %7, align 4
  %10 = icmp eq i32 %9, 34
  br i1 %10, label %15, label %11

11:                                               ; preds = %4
  %12 = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967328, i32 1, i64 0, ptr null)
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %15

14:                                               ; preds = %11
  call void @_Z18__device_stub__rowPi(ptr noundef %1, i64 noundef %8)
  br label %15

15:                                               ; preds = %2, %4, %11, %14
  ret i32 0
}
"#,
    );
    let found = launches(&[&ir], &objects::Unencoded);
    let tried = &found.kernels["_Z3rowPi"].tried;
    let number = |t: &Tried| match t.launch.arguments[1].pieces[..] {
        [Piece { number: Number::Bits(bits), .. }] => bits as i64,
        _ => panic!("{:?}", t.launch.arguments),
    };
    assert!(tried.len() > 4, "{tried:?}");
    assert!(tried.iter().all(|t| t.input.arguments[0] == number(t).to_string()), "{tried:?}");
}
