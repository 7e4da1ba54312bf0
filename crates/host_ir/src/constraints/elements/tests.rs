use crate::objects::Unencoded;
use crate::program::Program;
use crate::{Parameter, concrete, launch_sites};

const FILLED: &str = include_str!("../../../../../tests/prove/filled.ll");
const SCANNED: &str = include_str!("../../../../../tests/prove/scanned.ll");
const CHOSEN: &str = include_str!("../../../../../tests/prove/chosen.ll");
const GROWN: &str = include_str!("../../../../../tests/prove/grown.ll");
const BOUNDED: &str = include_str!("../../../../../tests/prove/bounded.ll");

/// The module of a program, with changes.
fn module(program: &str, changes: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let all = [FILLED, SCANNED, CHOSEN, GROWN, BOUNDED]
        .into_iter()
        .find(|t| t.contains(&format!("@{program}(")))
        .expect("a program");
    for part in all.split_inclusive("\n}\n") {
        let (before, definition) = part.split_at(part.find("define ").unwrap_or(part.len()));
        let name = definition.split_once('@').and_then(|(_, name)| name.split_once('(')).map_or("", |n| n.0);
        text += before;
        if name == program || !(name.ends_with("_clean") || name.ends_with("_race")) {
            text += definition;
        }
    }
    let mut text = text.replace(&format!("@{program}("), "@main(");
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {text}");
        text = text.replace(from, to);
    }
    text
}

/// Returns the relations of arrays' elements, in each case.
fn said(program: &str, changes: &[(&str, &str)]) -> Vec<Vec<String>> {
    let is_of_lists = program.starts_with("long");
    let text = module(program, changes);
    let program = Program::new(&[&text], &Unencoded, &|| false);
    // Those of `scatter` and `segments`, and those of `lists`.
    let parameters = [8, 8, 4].map(Parameter::scalar);
    let parameters = &parameters[..if is_of_lists { 2 } else { 3 }];
    let mut all = Vec::new();
    for sites in launch_sites::sites(&program).into_values().flatten() {
        for site in &sites {
            for chain in launch_sites::chains(&program, site.frame) {
                let call = concrete::launch(&program, site, &chain, Default::default());
                let always = std::slice::from_ref(&call.constraints);
                for case in if call.cases.is_empty() { always } else { &call.cases[..] } {
                    let certain = case.certain(parameters).relations;
                    let elements = certain.iter().filter(|r| r.elements().is_some());
                    all.push(elements.map(|r| r.text.clone()).collect());
                }
            }
        }
    }
    all
}

fn holds(program: &str, changes: &[(&str, &str)], relation: &str) -> bool {
    let all = said(program, changes);
    println!("{program}: {all:?}");
    !all.is_empty() && all.iter().all(|case| case.iter().any(|said| said == relation))
}

#[test]
fn words_that_loops_store_are_different() {
    for program in ["reversed_clean", "round_clean", "neighbours_clean", "thirds_clean"] {
        assert!(holds(program, &[], "permutation(arg0)"), "{program}");
    }
    for program in ["reversed_race", "round_race", "neighbours_race", "thirds_race"] {
        assert!(!holds(program, &[], "permutation(arg0)"), "{program}");
    }
}

/// Returns the bounds of words, in each case.
fn bounds(program: &str) -> Vec<String> {
    let of_case = |case: Vec<String>| {
        let bounds: Vec<String> = case.into_iter().filter(|r| r.starts_with("elements")).collect();
        bounds.join(", ")
    };
    said(program, &[]).into_iter().map(of_case).collect()
}

/// Bounds are numbers in a program without arguments, and numbers or sums in one with an argument.
#[test]
fn words_lie_between_constants_and_sums() {
    let between = |least: &str, most: &str| format!("elements(arg0) >= {least}, elements(arg0) <= {most}");
    for (program, least, most) in [("same_clean", "8", "8"), ("few_clean", "0", "8")] {
        assert_eq!(bounds(program), [between(least, most), between(least, most)], "{program}");
    }
    let n = "arg2 + (-1)";
    assert_eq!(bounds("last_clean"), [between("99", "99"), between(n, n)]);
    for program in ["below_clean", "in_order_clean", "pushed_below_clean", "least_clean", "half_clean"] {
        assert_eq!(bounds(program), [between("0", "99"), between("0", n)], "{program}");
    }
    assert_eq!(bounds("few_race"), [between("0", "9"), between("0", "9")]);
}

/// Words that are exchanged stay different, and do not ascend; variants in which they are not exchanged.
#[test]
fn words_that_are_exchanged_stay_different() {
    for program in ["turned_clean", "shuffled_clean"] {
        assert!(holds(program, &[], "permutation(arg0)"), "{program}");
        assert!(!holds(program, &[], "monotone(arg0)"), "{program}");
    }
    for program in ["turned_race", "shuffled_race"] {
        assert!(!holds(program, &[], "permutation(arg0)"), "{program}");
    }
    let variants = [
        // The same word twice, another word, and a word too few.
        ("store i32 %31, ptr %24, align 4", "store i32 %30, ptr %24, align 4"),
        ("store i32 %30, ptr %29, align 4", "store i32 %27, ptr %29, align 4"),
        ("store i32 %30, ptr %29, align 4", ""),
        // Elsewhere, and halves of words.
        ("store i32 %30, ptr %29, align 4", "store i32 %30, ptr %15, align 4"),
        ("store i32 %31, ptr %24, align 4", "store i32 %31, ptr %24, align 2"),
        // Loaded behind the first store, and something stored in between.
        (
            "%31 = load i32, ptr %29, align 4\n  store i32 %31, ptr %24, align 4\n",
            "store i32 %27, ptr %24, align 4\n  %31 = load i32, ptr %29, align 4\n  store i32 %31, ptr %24, align 4\n",
        ),
        (
            "store i32 %30, ptr %29, align 4",
            "store i32 7, ptr %15, align 4\n  store i32 %30, ptr %29, align 4",
        ),
        // The address may be that of another array.
        (
            "%29 = getelementptr inbounds i32, ptr %15, i64 %28",
            "%o = call ptr @_Znwm(i64 4)\n  %e = icmp eq i32 %27, 1\n  \
             %s = select i1 %e, ptr %o, ptr %15\n  %29 = getelementptr inbounds i32, ptr %s, i64 %28",
        ),
    ];
    for change in variants {
        assert!(!holds("shuffled_clean", &[change], "permutation(arg0)"), "{change:?}");
    }
}

/// Variants in which two words are one, or something else than the loop may have written them.
#[test]
fn words_that_may_be_equal_are_not_different() {
    let copy =
        "invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)";
    let other = "%22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)";
    let variants = [
        ("%31 = xor i32 %indvars36, -1", "%31 = and i32 %indvars36, -2".to_owned()),
        ("%31 = xor i32 %indvars36, -1", "%31 = mul i32 %indvars36, 6".to_owned()),
        ("%31 = xor i32 %indvars36, -1", "%31 = lshr i32 %indvars36, 1".to_owned()),
        // Another word than that of the counter, a word too few, and words of which the loop writes half.
        ("i32, ptr %16, i64 %indvars.iv\n", "i32, ptr %16, i64 %13\n".to_owned()),
        ("i32, ptr %16, i64 %indvars.iv\n", "i64, ptr %16, i64 %indvars.iv\n".to_owned()),
        ("icmp eq i64 %indvars.iv.next, %wide", "icmp eq i64 %indvars.iv, %wide".to_owned()),
        (
            "[ 0, %.lr.ph.preheader ], [ %indvars.iv.next",
            "[ 1, %.lr.ph.preheader ], [ %indvars.iv.next".to_owned(),
        ),
        // The copy is of something else, or goes elsewhere.
        (copy, copy.replace("i32 noundef 1", "i32 noundef 3")),
        (copy, copy.replace("%20", "%13")),
        (copy, copy.replace("ptr noundef %23", "ptr noundef %3")),
        // Something is written behind the loop, on the host and on the device; the kernel is passed the array twice.
        (other, format!("store i32 0, ptr %16, align 4\n  {other}")),
        (other, format!("call void @unknown(ptr %16)\n  {other}")),
        (other, format!("{other}\n  %again = load ptr, ptr %3, align 8\n  call void @unknown(ptr %again)")),
        ("(ptr noundef %23, ptr noundef %29,", "(ptr noundef %23, ptr noundef %23,".to_owned()),
    ];
    for (from, to) in variants {
        assert!(!holds("reversed_clean", &[(from, &to)], "permutation(arg0)"), "{to}");
    }
    let round = [
        ("srem i32 %44, %14", "srem i32 %44, 1000"),
        ("%44 = add nsw i32 %31, %43", "%44 = mul nsw i32 %31, %43"),
        ("%44 = add nsw i32 %31, %43", "%44 = add i32 %24, %43"),
    ];
    for (from, to) in round {
        assert!(!holds("round_clean", &[(from, to)], "permutation(arg0)"), "{to}");
    }
}

#[test]
fn words_that_loops_sum_up_ascend() {
    let clean =
        ["summed", "exclusive", "multiples", "drawn", "checked", "counted", "iota", "long", "plain", "scan"];
    for program in clean {
        assert!(holds(&format!("{program}_clean"), &[], "monotone(arg0)"), "{program}");
    }
    for program in ["summed", "exclusive", "multiples", "drawn", "counted", "iota", "long", "plain"] {
        assert!(!holds(&format!("{program}_race"), &[], "monotone(arg0)"), "{program}");
    }
    assert!(holds("iota_clean", &[], "permutation(arg0)"));
    assert!(!holds("summed_clean", &[], "permutation(arg0)"));
    // Without `nsw`, but with sums that cannot overflow.
    let wraps = ("%38 = add nuw nsw i32 %37, %26", "%38 = add i32 %37, %26");
    assert!(holds("summed_clean", &[wraps], "monotone(arg0)"));
}

/// Variants in which a word may be less than the one before it, or something else than the loop may have written it.
const DESCENDING: [(&str, &[(&str, &str)]); 24] = [
    // The sum overflows; something negative is added.
    (
        "summed_clean",
        &[
            ("%38 = add nuw nsw i32 %37, %26", "%38 = add i32 %37, %26"),
            ("i32 %.fr, i32 50)", "i32 %.fr, i32 500000)"),
        ],
    ),
    ("summed_clean", &[("[ 0, %19 ], [ %25, %24 ]", "[ -1, %19 ], [ %25, %24 ]")]),
    ("summed_clean", &[("%38 = add nuw nsw i32 %37, %26", "%38 = sub nsw i32 %37, %26")]),
    ("multiples_clean", &[("[ 0, %19 ], [ %26, %24 ]", "[ -1, %19 ], [ %26, %24 ]")]),
    // The product is cut off.
    (
        "multiples_clean",
        &[
            ("trunc nuw i64 %38 to i32", "trunc i64 %38 to i32"),
            ("i32 %.fr, i32 64)", "i32 %.fr, i32 500000)"),
        ],
    ),
    // The first word is greater than the others; it is not stored last.
    (
        "summed_clean",
        &[("  store i32 0, ptr %15, align 4\n  %wide", "  store i32 1, ptr %15, align 4\n  %wide")],
    ),
    (
        "summed_clean",
        &[(
            "  store i32 0, ptr %15, align 4\n  %wide",
            "  store i32 0, ptr %15, align 4\n  store i32 9, ptr %15, align 4\n  %wide",
        )],
    ),
    // A word is stored again; by a loop, by something unknown, and by a copy back.
    ("summed_clean", &[("._crit_edge:\n", "._crit_edge:\n  store i32 7, ptr %15, align 4\n")]),
    ("summed_clean", &[("._crit_edge:\n", "._crit_edge:\n  call void @unknown(ptr %15)\n")]),
    (
        "summed_clean",
        &[(
            "._crit_edge:\n",
            "._crit_edge:\n  call void @llvm.memset.p0.i64(ptr %15, i8 0, i64 %14, i1 false)\n",
        )],
    ),
    // Less is copied than was allocated, less is stored than is copied.
    (
        "summed_clean",
        &[("ptr noundef nonnull %15, i64 noundef %14, i32", "ptr noundef nonnull %15, i64 noundef %17, i32")],
    ),
    (
        "summed_clean",
        &[("[ 0, %.lr.ph.preheader ], [ %indvars.iv.next", "[ 1, %.lr.ph.preheader ], [ %indvars.iv.next")],
    ),
    ("summed_clean", &[("%indvars.iv.next, %wide.trip.count\n  br", "%indvars.iv, %wide.trip.count\n  br")]),
    // Another kernel gets to know the array.
    (
        "summed_clean",
        &[(
            "  %33 = tail call i32 @__cudaPush",
            "  call void @unknown(ptr %29)\n  %33 = tail call i32 @__cudaPush",
        )],
    ),
    // The last sum is another number, belongs elsewhere, or is missing.
    ("exclusive_clean", &[("store i32 %32, ptr %18", "store i32 0, ptr %18")]),
    ("exclusive_clean", &[("ptr %15, i64 %wide.trip.count", "ptr %15, i64 0")]),
    ("exclusive_clean", &[("  store i32 %32, ptr %18, align 4\n", "")]),
    // The elements that are added are not known to be positive: another remainder, a later write, a shorter loop.
    ("drawn_clean", &[("%27 = srem i32 %26, 8", "%27 = sub i32 %26, 8")]),
    ("drawn_clean", &[("tail call i32 @rand()", "tail call i32 @rand_r(ptr null)")]),
    ("drawn_clean", &[(".lr.ph65.preheader:\n", ".lr.ph65.preheader:\n  store i32 -5, ptr %20, align 4\n")]),
    ("drawn_clean", &[("icmp eq i64 %indvars.iv.next, %18", "icmp eq i64 %indvars.iv, %18")]),
    // The check admits negative numbers; the program goes on after it has failed.
    ("checked_clean", &[("icmp ult i32 %21, 101", "icmp slt i32 %21, 101")]),
    ("counted_clean", &[("%spec.select = add i32 %31, ", "%spec.select = sub i32 %31, ")]),
    ("iota_clean", &[("%19 = add nuw nsw i32 %.07.i, 1", "%19 = add nsw i32 %.07.i, -1")]),
];

#[test]
fn words_that_may_descend_are_not_monotone() {
    for (program, changes) in DESCENDING {
        assert!(!holds(program, changes, "monotone(arg0)"), "{program}, {changes:?}");
    }
}

#[test]
fn words_of_vectors_that_grow_follow_from_what_is_pushed() {
    for program in ["pushed", "reserved", "order", "generated"] {
        assert!(holds(&format!("{program}_clean"), &[], "permutation(arg0)"), "{program}");
        assert!(!holds(&format!("{program}_race"), &[], "permutation(arg0)"), "{program}");
    }
    for program in ["starts", "emplaced", "sorted", "zeroed"] {
        assert!(holds(&format!("{program}_clean"), &[], "monotone(arg0)"), "{program}");
        assert!(!holds(&format!("{program}_race"), &[], "monotone(arg0)"), "{program}");
    }
}

/// Variants in which a vector does not grow by the word of each turn, or something else may write to it.
#[test]
fn vectors_that_something_else_changes_are_not_known() {
    let pushed = [
        // Another word on one of the two ways.
        ("store i32 %17, ptr %.sroa.9.037", "store i32 7, ptr %.sroa.9.037"),
        ("store i32 %17, ptr %there.i.i.i", "store i32 7, ptr %there.i.i.i"),
        // Less is copied, or something else.
        (".038, i64 %bytes.i.i.i, i1 false)", ".038, i64 4, i1 false)"),
        ("%new.i.i.i17, ptr align 4 %.sroa.025.038, i64", "%new.i.i.i17, ptr align 4 %.sroa.9.037, i64"),
        // Two words further; the vector of the turn before.
        ("ptr %there.i.pn.i.i, i64 4", "ptr %there.i.pn.i.i, i64 8"),
        ("[ %.sroa.025.1, %19 ]", "[ %.sroa.025.038, %19 ]"),
        ("[ null, %.lr.ph.preheader ]\n  %.sroa.12", "[ %1, %.lr.ph.preheader ]\n  %.sroa.12"),
        // Something else writes to it, in the loop and behind it.
        ("._crit_edge:\n", "._crit_edge:\n  store i32 0, ptr %.sroa.025.1, align 4\n"),
        ("._crit_edge:\n", "._crit_edge:\n  call void @unknown(ptr %.sroa.025.1)\n"),
        ("%20 = add nuw", "store i32 0, ptr %.sroa.025.1, align 4\n  %20 = add nuw"),
        (
            "%20 = add nuw",
            "%w = getelementptr i8, ptr %.sink.i.i, i64 -4\n  store i32 0, ptr %w, align 4\n  %20 = add nuw",
        ),
        // Another part of it is copied.
        ("sub i64 %24, %25", "sub i64 %24, 0"),
    ];
    for change in pushed {
        assert!(!holds("pushed_clean", &[change], "permutation(arg0)"), "{change:?}");
    }
    let starts = [
        ("add nsw i32 %16, %17", "sub nsw i32 %16, %17"),
        ("load i32, ptr %new.i.i.i15.pn63", "load i32, ptr %.sroa.042.164"),
        (
            "[ %new.i.i.i15, %.lr.ph.preheader ]\n  %.sroa.17",
            "[ %limit.i.i.i, %.lr.ph.preheader ]\n  %.sroa.17",
        ),
        ("store i32 0, ptr %new.i.i.i15, align 4", "store i64 0, ptr %new.i.i.i15, align 4"),
    ];
    for change in starts {
        assert!(!holds("starts_clean", &[change], "monotone(arg0)"), "{change:?}");
    }
}

/// Variants in which not all words are sorted, others than numbers with signs, or not last.
#[test]
fn words_that_are_not_sorted_last_are_not_monotone() {
    let sort = "tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)";
    let store = "store i32 7, ptr %16, align 4";
    let variants = [
        (sort, sort.replace("Iter_less_iter", "Iter_comp_iter")),
        (sort, sort.replace("IPiSt6vectorIiSaIi", "IPjSt6vectorIjSaIj")),
        (sort, sort.replace("nonnull %17", "nonnull %.sroa.021.036")),
        (sort, sort.replace("(ptr nonnull %16", "(ptr nonnull %20")),
        (sort, format!("{sort}\n  {store}")),
        (sort, format!("{sort}\n  call void @unknown(ptr %16)")),
        (sort, String::new()),
        ("%21 = add i32 %12, 127", format!("%21 = add i32 %12, 127\n  {store}")),
    ];
    for (from, to) in variants {
        assert!(!holds("sorted_clean", &[(from, &to)], "monotone(arg0)"), "{to}");
    }
    assert!(holds("sorted_clean", &[(sort, &format!("{store}\n  {sort}"))], "monotone(arg0)"));
}
