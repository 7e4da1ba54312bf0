//! The function that failed checks call.

use super::shuffle;
use crate::PREFIX;
use crate::sink::{self, MOST, RECORD, SHARED, field};
use ptx::op::MemSpace;

/// Returns its name.
pub(super) fn name() -> String {
    format!("{PREFIX}collide")
}

/// Its parameters: name and type, in order.
pub(super) const PARAMETERS: [(&str, &str); 5] =
    [("record", "b32"), ("address", "b64"), ("expected", "b64"), ("found", "b64"), ("space", "b32")];

/// The last argument for an address whose space the instruction does not name.
const GENERIC: u32 = 2;

pub(super) const GLOBAL: u32 = sink::GLOBAL;

/// Returns the last argument of a call: the address's space.
pub(super) const fn space(space: MemSpace) -> u32 {
    match space {
        MemSpace::SharedCta | MemSpace::SharedCluster => SHARED,
        MemSpace::Generic => GENERIC,
        _ => GLOBAL,
    }
}

/// Returns the function's text: it counts the record, and fills it in on the first call; then it traps, if
/// requested for a debugger. Block indices are those that the program sees, recovered by the key of the
/// permutation.
pub(super) fn function(sink: u64, shuffled: Option<u64>, trap: bool) -> String {
    let (name, most) = (name(), MOST);
    let parameters: Vec<String> =
        PARAMETERS.iter().map(|(parameter, ty)| format!(".param .{ty} {name}_{parameter}")).collect();
    let parameters = parameters.join(", ");
    let mut place = sink::place("%rd3", "%r4");
    if let Some(key) = shuffled {
        place += &format!(
            "\tmov.u32 %r4, %ctaid.x;\n{}\tst.volatile.global.u32 [%rd3+{}], %r4;\n",
            shuffle::renamed("%r4", key),
            field::BLOCK
        );
    }
    let end = if trap { "trap" } else { "ret" };
    format!(
        "\
.func {name}({parameters})
{{
\t.reg .pred %p<5>;
\t.reg .b32 %r<6>;
\t.reg .b64 %rd<7>;
\tld.param.u32 %r1, [{name}_record];
\tld.param.u64 %rd1, [{name}_address];
\tmov.u64 %rd2, {sink};
\tmad.wide.u32 %rd3, %r1, {RECORD}, %rd2;
\tld.volatile.global.u32 %r2, [%rd3+{COUNT}];
\tsetp.ge.u32 %p1, %r2, {most};
\t@%p1 ret;
\tatom.relaxed.sys.global.add.u32 %r3, [%rd3+{COUNT}], 1;
\tsetp.ne.u32 %p2, %r3, 0;
\t@%p2 ret;
\tld.param.u64 %rd4, [{name}_expected];
\tst.volatile.global.u64 [%rd3+{EXPECTED}], %rd4;
\tld.param.u64 %rd5, [{name}_found];
\tst.volatile.global.u64 [%rd3+{FOUND}], %rd5;
\tld.param.u32 %r5, [{name}_space];
\tsetp.ne.u32 %p3, %r5, {GENERIC};
\t@%p3 bra $known;
\tisspacep.shared %p4, %rd1;
\tselp.u32 %r5, {SHARED}, {GLOBAL}, %p4;
\t@!%p4 bra $known;
\tcvta.to.shared.u64 %rd1, %rd1;
$known:
\tst.volatile.global.u32 [%rd3+{SPACE}], %r5;
\tst.volatile.global.u64 [%rd3+{ADDRESS}], %rd1;
{place}\tfence.acq_rel.sys;
\tst.volatile.global.u32 [%rd3+{VALID}], 1;
\t{end};
}}
",
        COUNT = field::COUNT,
        ADDRESS = field::ADDRESS,
        VALID = field::VALID,
        EXPECTED = field::EXPECTED,
        FOUND = field::FOUND,
        SPACE = field::SPACE,
    )
}
