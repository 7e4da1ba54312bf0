//! The function that a failed check calls.

use crate::PREFIX;
use crate::sink::{MOST, RECORD, field};

/// Its name.
pub(super) fn name() -> String {
    format!("{PREFIX}collide")
}

/// `(record, address)`: counts the record, and fills it in if it is the first to.
pub(super) fn function(sink: u64) -> String {
    let (name, most) = (name(), MOST);
    let mut stores = String::new();
    for (at, register) in [(field::THREAD, "tid"), (field::BLOCK, "ctaid")] {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            let at = at + 4 * i as u64;
            stores +=
                &format!("\tmov.u32 %r4, %{register}.{axis};\n\tst.volatile.global.u32 [%rd3+{at}], %r4;\n");
        }
    }
    format!(
        "\
.func {name}(.param .b32 {name}_record, .param .b64 {name}_address)
{{
\t.reg .pred %p<3>;
\t.reg .b32 %r<5>;
\t.reg .b64 %rd<5>;
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
\tst.volatile.global.u64 [%rd3+{ADDRESS}], %rd1;
{stores}\tfence.acq_rel.sys;
\tst.volatile.global.u32 [%rd3+{VALID}], 1;
\tret;
}}
",
        COUNT = field::COUNT,
        ADDRESS = field::ADDRESS,
        VALID = field::VALID,
    )
}
