//! Parts of a module: texts with some of its items.

use crate::module::{changed, is_same_item, parsed};
use crate::{Fault, Reason};
use ptx::ast::{Item, Linkage, Space, Variable};

/// Checks that `part` consists of items of `original`, unchanged and in their order, and that it shares no memory with
/// other modules that its launches could use.
pub fn part(original: &str, part: &str) -> Result<(), Fault> {
    let whole = |reason| Fault { line: 0, reason };
    let own = parsed(original).map_err(|why| whole(Reason::Malformed(why)))?;
    let made = parsed(part).map_err(|why| whole(Reason::Malformed(why)))?;
    if (own.version, &own.target, own.address_size) != (made.version, &made.target, made.address_size) {
        return Err(whole(Reason::Changed { expected: "its header".into(), found: "another header".into() }));
    }
    let mut rest = own.items.iter();
    for item in &made.items {
        if !rest.any(|expected| is_same_item(expected, item)) {
            return Err(whole(changed(None, &crate::module::spelled(item))));
        }
        if let Item::Variable(variable) = item
            && !shares_nothing(variable)
        {
            return Err(whole(Reason::Undeclared(variable.name.text.to_string())));
        }
    }
    Ok(())
}

/// Returns whether modules that both have this variable of module scope need not share its memory: it is a block's, or one
/// of the compiler's own constants (texts of `printf` and `assert`, tables of functions), to which the program has no name.
pub fn shares_nothing(variable: &Variable) -> bool {
    const CONSTANTS: [&str; 3] = ["$str", "__unnamed_", "__cudart_"];
    let is_constant = CONSTANTS.iter().any(|prefix| variable.name.text.starts_with(prefix));
    match variable.space {
        Space::Shared => true,
        Space::Global | Space::Const => {
            is_constant && variable.linkage == Linkage::None && variable.init.is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::part;

    const TEXT: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 total;\n\
        .visible .entry a()\n{\nbar.sync 0;\nret;\n}\n.visible .entry b()\n{\nret;\n}\n";

    #[test]
    fn a_part_has_unchanged_items_in_their_order() {
        let dropped = |what: &str| TEXT.replace(what, "");
        let (total, a, b) = (
            ".global .u32 total;\n",
            ".visible .entry a()\n{\nbar.sync 0;\nret;\n}\n",
            ".visible .entry b()\n{\nret;\n}\n",
        );
        let only_a = dropped(total).replace(b, "");
        assert_eq!(part(TEXT, &only_a), Ok(()));
        assert_eq!(part(TEXT, &dropped(total)), Ok(()));
        for wrong in [
            dropped(a),
            only_a.replace("bar.sync 0;", ""),
            only_a.replace("sm_90", "sm_80"),
            only_a.clone() + ".visible .entry c()\n{\nret;\n}\n",
            only_a.replace(a, "") + b + a,
            only_a.clone() + a,
        ] {
            assert!(part(TEXT, &wrong).is_err(), "{wrong}");
        }
    }
}
