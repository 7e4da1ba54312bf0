//! Races of the registers of matrix products, in words.

use events::Finding;
use events::finding::Actor;

/// Returns whether a register of a matrix product was accessed without a wait for the product; else, a fence is missing.
pub(crate) const fn is_unwaited(finding: &Finding) -> bool {
    finding.sides[1].address & 2 != 0
}

/// Returns the part of a matrix product that a finding's register holds.
pub(crate) const fn product_part(finding: &Finding) -> &'static str {
    if finding.sides[1].address & 1 != 0 { "accumulator" } else { "fragment of A" }
}

/// Returns what is missing between the two accesses.
pub(crate) fn why(finding: &Finding) -> String {
    let part = product_part(finding);
    if is_unwaited(finding) {
        return format!(
            "a matrix product accesses its registers asynchronously: no `wgmma.wait_group` for its group lies between it and the \
             other access of this {part} (PTX §9.7.16.7)"
        );
    }
    if finding.sides[0].who == Actor::Unseen {
        return "no `wgmma.fence` lies before the warpgroup's first matrix product (PTX §9.7.16.7)".into();
    }
    format!(
        "no `wgmma.fence` lies between the access of this {part} and the product that accesses the register, too; only products of \
         the same shape follow each other on an accumulator without one (PTX §9.7.16.7)"
    )
}
