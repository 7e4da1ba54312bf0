mod random;

use crate::{Concrete, Number, launches};

/// Returns a program with two kernels and this `main`.
fn program(main: &str) -> String {
    format!(
        r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3onePi\00", align 1
@1 = private unnamed_addr constant [9 x i8] c"_Z3twoPi\00", align 1
@table = internal constant [2 x ptr] [ptr @callback, ptr null], align 8
declare void @_Z18__device_stub__onePi(ptr noundef, i32 noundef)
declare void @_Z18__device_stub__twoPi(ptr noundef, i32 noundef)
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef)
declare i32 @rand()
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
define dso_local i32 @main() {{
  %p = alloca ptr, align 8
  %m = call i32 @cudaMalloc(ptr noundef %p, i64 noundef 256)
  %a = load ptr, ptr %p, align 8
{main}
}}
define internal void @one(ptr noundef %0, i32 noundef %1) {{
  %3 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %6

5:                                                ; preds = %2
  call void @_Z18__device_stub__onePi(ptr noundef %0, i32 noundef %1)
  br label %6

6:                                                ; preds = %5, %2
  ret void
}}
define internal void @two(ptr noundef %0, i32 noundef %1) {{
  %3 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %6

5:                                                ; preds = %2
  call void @_Z18__device_stub__twoPi(ptr noundef %0, i32 noundef %1)
  br label %6

6:                                                ; preds = %5, %2
  ret void
}}
define internal void @callback(ptr noundef %0) {{
  call void @two(ptr noundef %0, i32 noundef 5)
  ret void
}}
define hidden void @_Z3onePi(ptr noundef %0, i32 %1) {{
  tail call void @_Z18__device_stub__onePi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define hidden void @_Z3twoPi(ptr noundef %0, i32 %1) {{
  tail call void @_Z18__device_stub__twoPi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define internal void @__sti____cudaRegisterAll() {{
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3onePi, ptr @0, ptr @0, i32 -1)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3twoPi, ptr @1, ptr @1, i32 -1)
  ret void
}}
"#
    )
}

/// Returns the launches of both kernels; `None` if some may have been missed.
fn made(main: &str) -> [Option<Vec<Concrete>>; 2] {
    let text = program(main);
    let found = launches(&[&text], &crate::objects::Unencoded);
    ["_Z3onePi", "_Z3twoPi"].map(|k| found.get(k).and_then(|l| l.made.clone()))
}

/// Returns the second argument of each launch.
fn numbers(all: &Option<Vec<Concrete>>) -> Vec<Option<u64>> {
    let number = |c: &Concrete| match c.arguments[1].pieces.first()?.number {
        Number::Bits(b) => Some(b),
        Number::Address(..) => None,
    };
    all.as_ref().expect("its launches are known").iter().map(number).collect()
}

/// Returns a program like [`program`] that is given arguments.
fn with_arguments(main: &str) -> String {
    let text = program(main).replace("i32 @main() {", "i32 @main(i32 %0, ptr %1) {");
    text.replace("declare i32 @rand()", "declare i32 @rand()\ndeclare i32 @atoi(ptr)")
}

/// The number that each launch of a kernel passes, for every input; `None` for one that is not known.
fn numbers_for_every_input(main: &str, kernel: &str) -> Option<Vec<Option<u64>>> {
    let text = with_arguments(main);
    let found = launches(&[&text], &crate::objects::Unencoded);
    let number = |c: &Concrete| match c.arguments[1].pieces[..] {
        [ref piece] => match piece.number {
            Number::Bits(bits) => Some(bits),
            Number::Address(..) => None,
        },
        _ => None,
    };
    let mut all: Vec<_> = found.get(kernel)?.for_every_input.as_ref()?.iter().map(number).collect();
    all.sort();
    all.dedup();
    Some(all)
}

const FIRST: &str = "%q = getelementptr inbounds i8, ptr %1, i64 8
  %s = load ptr, ptr %q, align 8
  %v = call i32 @atoi(ptr %s)";

#[test]
fn classes_of_inputs_are_divided_where_comparisons_need_it() {
    let launch = |first: &str, last: &str| {
        format!(
            "  {FIRST}
  %d = add i32 %v, {first}
  %c = icmp ult i32 %d, {last}
  br i1 %c, label %out, label %go

go:                                               ; preds = %0
  call void @one(ptr %a, i32 %v)
  br label %out

out:                                              ; preds = %go, %0
  ret i32 0"
        )
    };
    // The numbers from 1 to 4.
    let few = numbers_for_every_input(&launch("-5", "-4"), "_Z3onePi");
    assert_eq!(few, Some((1..=4).map(Some).collect()));
    // Those from 1 to 4000 are one class.
    assert_eq!(numbers_for_every_input(&launch("-4001", "-4000"), "_Z3onePi"), Some(vec![None]));
}

#[test]
fn numbers_that_are_read_later_are_not_known() {
    let main = format!(
        "  {FIRST}
  %c = icmp eq i32 %v, 7
  br i1 %c, label %go, label %out

go:                                               ; preds = %0
  %w = call i32 @atoi(ptr %s)
  call void @one(ptr %a, i32 %w)
  br label %out

out:                                              ; preds = %go, %0
  %x = call i32 @atoi(ptr %s)
  call void @two(ptr %a, i32 %x)
  ret i32 0"
    );
    assert_eq!(numbers_for_every_input(&main, "_Z3onePi"), Some(vec![None]));
    assert_eq!(numbers_for_every_input(&main, "_Z3twoPi"), Some(vec![None]));
}

#[test]
fn both_ways_of_a_branch_are_taken_and_meet_again() {
    let [one, two] = made(
        "\
  %r = call i32 @rand()
  %c = icmp eq i32 %r, 0
  br i1 %c, label %yes, label %no

yes:
  call void @one(ptr noundef %a, i32 noundef 1)
  br label %end

no:
  call void @one(ptr noundef %a, i32 noundef 2)
  br label %end

end:
  %n = phi i32 [ 3, %yes ], [ 3, %no ]
  %k = phi i32 [ 3, %yes ], [ 4, %no ]
  call void @two(ptr noundef %a, i32 noundef %n)
  call void @two(ptr noundef %a, i32 noundef %k)
  ret i32 0",
    );
    let mut all = numbers(&one);
    all.sort_unstable();
    assert_eq!((all, numbers(&two)), (vec![Some(1), Some(2)], vec![Some(3), None]));
}

/// Constant expressions like these address virtual function tables.
#[test]
fn what_addresses_are_made_of_is_computed() {
    let [one, _] = made(
        "\
  %q = load ptr, ptr getelementptr inbounds inrange(-8, 8) ([2 x ptr], ptr @table, i64 0, i64 1), align 8
  %i = ptrtoint ptr %q to i64
  %n = trunc i64 %i to i32
  call void @one(ptr noundef %a, i32 noundef %n)
  ret i32 0",
    );
    assert_eq!(numbers(&one), [Some(0)]);
}

#[test]
fn a_loop_of_which_the_end_is_not_known_settles() {
    let [one, two] = made(
        "\
  br label %turn

turn:
  %i = phi i32 [ 0, %0 ], [ %next, %turn ]
  call void @one(ptr noundef %a, i32 noundef %i)
  call void @two(ptr noundef %a, i32 noundef 7)
  %next = add i32 %i, 1
  %r = call i32 @rand()
  %c = icmp eq i32 %r, 0
  br i1 %c, label %end, label %turn

end:
  ret i32 0",
    );
    // The first iteration's launch, and one that stands for all others.
    assert!(numbers(&one).contains(&Some(0)) && numbers(&one).contains(&None), "{one:?}");
    assert_eq!(numbers(&two).iter().filter(|n| **n != Some(7)).count(), 0, "{two:?}");
}

/// An external function may call the functions whose addresses it gets.
#[test]
fn what_others_may_call_may_launch() {
    let call = |argument: &str| {
        made(&format!(
            "\
  call void @one(ptr noundef %a, i32 noundef 1)
  call void @far(ptr noundef {argument})
  ret i32 0"
        ))
    };
    let [one, two] = call("@callback");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    let [one, two] = call("@table");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    // `%p` leads to no function; the launches of `one` are those before the call.
    let [one, two] = call("%p");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    // The function can write to the memory that it can reach.
    let [one, _] = made(
        "\
  %q = alloca i32, align 4
  store i32 4, ptr %q, align 4
  call void @far(ptr noundef %a)
  %v = load i32, ptr %q, align 4
  call void @far(ptr noundef %q)
  %w = load i32, ptr %q, align 4
  call void @one(ptr noundef %a, i32 noundef %v)
  call void @one(ptr noundef %a, i32 noundef %w)
  ret i32 0",
    );
    assert_eq!(numbers(&one), [Some(4), None]);
}

#[test]
fn a_function_that_calls_itself_is_followed() {
    let text = program("  call void @down(ptr noundef %a, i32 noundef 3)\n  ret i32 0")
        + "\
define internal void @down(ptr noundef %0, i32 noundef %1) {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %end, label %more

more:
  call void @one(ptr noundef %0, i32 noundef %1)
  %4 = sub i32 %1, 1
  call void @down(ptr noundef %0, i32 noundef %4)
  br label %end

end:
  ret void
}
";
    let found = launches(&[&text], &crate::objects::Unencoded);
    assert_eq!(numbers(&found.kernels["_Z3onePi"].made), [Some(3), Some(2), Some(1)]);
}

/// Functions that query the time are not assumed to call the functions that their arguments lead to.
#[test]
fn clocks_call_nobody() {
    let [one, two] = made(
        "\
  %q = alloca [4 x i64], align 8
  store ptr @table, ptr %q, align 8
  %t = getelementptr i64, ptr %q, i64 1
  %l = getelementptr i64, ptr %q, i64 3
  store i64 6, ptr %t, align 8
  store i64 7, ptr %l, align 8
  %g = call i32 @gettimeofday(ptr noundef %t, ptr noundef null)
  %v = load i32, ptr %t, align 8
  %w = load i32, ptr %l, align 8
  call void @one(ptr noundef %a, i32 noundef %v)
  call void @two(ptr noundef %a, i32 noundef %w)
  ret i32 0",
    );
    assert_eq!((numbers(&one), numbers(&two)), (vec![None], vec![Some(7)]));
}

/// A store to an unknown place may change any memory.
#[test]
fn behind_a_store_to_anywhere_nothing_is_known() {
    let [one, two] = made(
        "\
  call void @one(ptr noundef %a, i32 noundef 1)
  %q = call ptr @far()
  store i32 1, ptr %q, align 4
  call void @two(ptr noundef %a, i32 noundef 2)
  ret i32 0",
    );
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
}

/// A kernel that is looked up by an unknown name may be any kernel.
#[test]
fn kernels_of_names_that_are_not_known_leave_none() {
    let named = |name: &str| {
        let text = program(&format!(
            "\
  %f = alloca ptr, align 8
  %g = call i32 @cuModuleGetFunction(ptr noundef %f, ptr noundef null, ptr noundef {name})
  %h = load ptr, ptr %f, align 8
  %l = call i32 @cuLaunchKernel(ptr noundef %h, i32 2, i32 1, i32 1, i32 32, i32 1, i32 1, i32 0, ptr null, ptr null, ptr null)
  ret i32 0"
        ));
        let found = launches(&[&text], &crate::objects::Unencoded);
        let of =
            |k: &str| found.get(k).map(|l| (l.calls.as_ref().map(Vec::len), l.made.as_ref().map(Vec::len)));
        (of("_Z3onePi"), of("_Z3twoPi"))
    };
    assert_eq!(named("@0"), (Some((None, Some(1))), Some((Some(1), None))));
    assert_eq!(named("%a"), (None, None));
}
