//! Names for the features that unsupported instructions belong to.

/// Returns the user-facing name (plural) of the feature that an opcode belongs to, if it is a known
/// unsupported one. `opcode` includes the modifiers, such as `tex.1d.v4.f32.s32`; a function's name is also
/// accepted.
pub fn feature(opcode: &str) -> Option<&'static str> {
    let is = |prefix: &str| {
        opcode.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let any = |prefixes: &[&str]| prefixes.iter().any(|prefix| is(prefix));
    let has = |modifier: &str| opcode.split('.').skip(1).any(|word| word == modifier);
    if is("tex") {
        Some(match () {
            () if has("level") => "texture fetches at a given level of detail",
            () if has("grad") => "texture fetches with gradients",
            () if has("base") => "texture fetches from the base level",
            () if has("2dms") || has("a2dms") => "fetches from multi-sample textures",
            () if has("acube") => "fetches from layered cubemap textures",
            () if has("f16") || has("f16x2") => "texture fetches with half-precision results",
            () => "texture fetches of this form",
        })
    } else if is("tld4") {
        Some("texture gathers")
    } else if is("txq") {
        Some("texture queries")
    } else if is("istypep") {
        Some("queries of a handle's type")
    } else if any(&["sust", "sured"]) && has("p") {
        Some("formatted surface accesses")
    } else if any(&["suld", "sust", "sured", "suq"]) {
        Some("surface accesses of this form")
    } else if is("wgmma") {
        Some("warpgroup matrix instructions")
    } else if is("tcgen05") {
        Some("fifth-generation tensor core instructions")
    } else if any(&["cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor"])
        || any(&["tensormap", "fence.proxy.tensormap"])
    {
        Some("tensor-map copies")
    } else if is("multimem") {
        Some("multicast memory instructions")
    } else if opcode.starts_with("__cuda_syscall_cnp") || opcode.starts_with("cudaLaunchDevice") {
        Some("kernels launched by kernels (dynamic parallelism)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::feature;

    #[test]
    fn whole_words_count() {
        assert_eq!(feature("tex.level.2d.v4.f32.f32"), Some("texture fetches at a given level of detail"));
        assert_eq!(feature("tex.acube.v4.f32.f32"), Some("fetches from layered cubemap textures"));
        assert_eq!(feature("tld4.r.2d.v4.f32.f32"), Some("texture gathers"));
        assert_eq!(feature("sust.p.1d.v4.b32.trap"), Some("formatted surface accesses"));
        assert_eq!(feature("cp.async.bulk.tensor.2d.shared::cta.global.tile"), Some("tensor-map copies"));
        assert_eq!(feature("wgmma.fence.sync.aligned"), Some("warpgroup matrix instructions"));
        assert_eq!(
            feature("__cuda_syscall_cnpv2LaunchDevice"),
            Some("kernels launched by kernels (dynamic parallelism)")
        );
        for other in ["texture", "cp.async.bulk.shared::cta.global", "suldx", "", "add.s32"] {
            assert_eq!(feature(other), None, "{other}");
        }
    }
}
