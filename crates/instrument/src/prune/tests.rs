use super::*;
use ptx::flat::flatten;

/// Returns the reasons for the loads and stores of shared or generic memory in a kernel.
fn ask(body: &str) -> Vec<Option<Why>> {
    let text = format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 table[64];\n\
         .visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n\
         .shared .align 4 .b8 s[4096];\n.shared .align 4 .b8 t[4096];\n.local .align 4 .b8 mine[64];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, s;\nmov.u32 %r4, t;\n\
         shl.b32 %r5, %r1, 2;\nadd.s32 %r6, %r3, %r5;\nld.param.u64 %rd1, [p];\nld.global.u32 %r7, [%rd1];\n\
         add.s32 %r8, %r3, %r7;\n{body}\nret;\n}}\n"
    );
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let function = parsed.module.items.iter().find_map(|item| match item {
        Item::Function(function) => Some(function),
        _ => None,
    });
    let flat = flatten(function.unwrap());
    let said = prune(&parsed.module, &flat);
    let interesting = |(i, inst): (usize, &FlatInstruction<'_>)| {
        let (mem, _) = weak(inst)?;
        matches!(mem.space, MemSpace::SharedCta | MemSpace::Generic).then(|| said[i])
    };
    flat.instructions.iter().enumerate().filter_map(interesting).collect()
}

/// Blocks with threads along x only.
const ROW: Extents = Extents([None, Some(1), Some(1)]);
const APART: Option<Why> = Some(Why::Apart(ROW));
const ANY: Option<Why> = Some(Why::Apart(Extents([None; 3])));

#[test]
fn a_word_for_each_thread_is_apart_in_flat_blocks() {
    assert_eq!(ask("st.shared.u32 [%r6], 1; ld.shared.u32 %r9, [%r6];"), [APART, APART]);
    // Strides below the size overlap.
    assert_eq!(ask("add.s32 %r9, %r3, %r1; st.shared.u32 [%r9], 1;"), [None]);
    // The neighbour's word.
    assert_eq!(ask("st.shared.u32 [%r6], 1; ld.shared.u32 %r9, [%r6+4];"), [None, None]);
    // One word for all threads.
    assert_eq!(ask("st.shared.u32 [%r3], 1;"), [None]);
    // No thread writes.
    assert_eq!(ask("ld.shared.u32 %r9, [%r8];"), [ANY]);
}

#[test]
fn rows_of_a_tile_need_blocks_that_are_no_wider() {
    let tile = "shl.b32 %r9, %r2, 7; add.s32 %r10, %r9, %r6; st.shared.u32 [%r10], 1;";
    assert_eq!(ask(tile), [Some(Why::Apart(Extents([Some(32), None, Some(1)])))]);
}

#[test]
fn barriers_keep_what_anybody_reads_apart_from_what_is_written() {
    let body = "st.shared.u32 [%r6], 1; bar.sync 0; ld.shared.u32 %r9, [%r8];";
    assert_eq!(ask(body), [APART, ANY]);
    assert_eq!(ask(&body.replace("bar.sync 0;", "")), [None, None]);
    assert_eq!(ask(&body.replace("bar.sync 0;", "@%p1 bar.sync 0;")), [None, None]);
    // In a loop that repeats without another barrier.
    assert_eq!(ask(&format!("L: {body} @%p1 bra L;")), [None, None]);
    assert_eq!(ask(&format!("L: {body} bar.sync 0; @%p1 bra L;")), [APART, ANY]);
}

#[test]
fn other_variables_are_other_memory_unless_the_address_may_be_anywhere() {
    let body = "st.shared.u32 [%r6], 1; add.s32 %r9, %r4, %r7; st.shared.u32 [%r9], 1;";
    assert_eq!(ask(body), [APART, None]);
    let anywhere = "st.shared.u32 [%r6], 1; ld.u32 %r9, [%rd1];";
    assert_eq!(ask(anywhere), [None, None]);
    // The difference of two variables, added to one of them.
    let moved =
        "sub.s32 %r9, %r4, %r3; add.s32 %r10, %r3, %r9; st.shared.u32 [%r10], 1; st.shared.u32 [%r6], 1;";
    assert_eq!(ask(moved), [None, None]);
}

#[test]
fn what_is_done_elsewhere_keeps_everything() {
    for other in [
        "atom.shared.add.u32 %r9, [%r8], 1;",
        "red.shared.add.u32 [%r6+4], 1;",
        "mapa.shared::cluster.u32 %r9, %r3, 0;",
    ] {
        assert_eq!(ask(&format!("st.shared.u32 [%r6], 1; {other}")), [None], "{other}");
    }
    // Values that overflow 32 bits are unknown.
    let wild = "mul.lo.s32 %r9, %r1, 268435456; add.s32 %r10, %r9, %r3; st.shared.u32 [%r10], 1;";
    assert_eq!(ask(wild), [None]);
}

#[test]
fn registers_with_several_values_are_somewhere_in_their_variable() {
    let body = "mov.u32 %r9, %r6; @%p1 add.s32 %r9, %r9, 4; st.shared.u32 [%r9], 1;";
    assert_eq!(ask(body), [None]);
    assert_eq!(ask(&format!("{body} bar.sync 0; ld.shared.u32 %r10, [%r6];")), [None, ANY]);
}

#[test]
fn generic_addresses_of_own_memory_are_private() {
    let body = "mov.u64 %rd2, mine; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2+4], 1;";
    assert_eq!(ask(body), [Some(Why::Private)]);
    let body = "mov.u64 %rd2, mine; @%p1 mov.u64 %rd2, %rd1; st.u32 [%rd2+4], 1;";
    assert_eq!(ask(body), [None]);
    let body = "mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+4], 1; ld.u32 %r9, [%rd1];";
    assert_eq!(ask(body), [Some(Why::Private), None]);
    let body = "mov.u64 %rd2, table; cvta.const.u64 %rd3, %rd2; ld.u32 %r9, [%rd3+4];";
    assert_eq!(ask(body), [Some(Why::Private)]);
}

#[test]
fn a_load_is_repeated_only_while_nothing_happens() {
    let twice =
        |between: &str| ask(&format!("ld.u32 %r9, [%rd1]; {between} ld.u32 %r10, [%rd1]; st.u32 [%rd1], 1;"));
    let again = Some(Why::Repeated);
    assert_eq!(twice("add.s32 %r11, %r9, 1;"), [None, again, None]);
    for between in [
        "bar.warp.sync -1;",
        "membar.gl;",
        "red.global.add.u32 [%rd1], 1;",
        "add.s64 %rd1, %rd1, 0;",
        "L:",
        "st.global.u32 [%rd1+8], 1;",
    ] {
        assert_eq!(twice(between)[1], None, "{between}");
    }
}
