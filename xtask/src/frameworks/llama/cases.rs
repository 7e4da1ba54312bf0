//! The cases that are run of each operator.

use std::collections::BTreeSet;

/// Of each operator so many cases run.
const CASES: usize = 3;

/// Operators whose cases with matrices that are not quantised may call cuBLAS.
const PRODUCTS: [&str; 2] = ["MUL_MAT", "MUL_MAT_ID"];

/// A case of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    operator: String,
    parameters: String,
}

impl Case {
    /// Returns the name by which the program runs it.
    pub(super) fn name(&self) -> String {
        format!("{}({})", self.operator, self.parameters)
    }

    /// Returns the logarithm of the product of all numbers among the parameters, by which cases of one operator are compared.
    fn size(&self) -> f64 {
        let words = self.parameters.split(['=', '[', ']', ',']);
        words.filter_map(|word| word.parse::<i64>().ok()).map(|n| (n.abs().max(1) as f64).ln()).sum()
    }

    /// Returns the types among the parameters.
    fn types(&self) -> Vec<&str> {
        let fields = self.parameters.split(',').filter_map(|field| field.split_once('='));
        fields.filter(|(name, _)| name.starts_with("type")).map(|(_, value)| value).collect()
    }

    /// Returns whether the CUDA back end computes it by kernels of its own.
    fn has_kernels(&self) -> bool {
        !PRODUCTS.contains(&self.operator.as_str())
            || self.types().first().is_some_and(|first| !first.starts_with(['f', 'b']))
    }
}

/// Reads the program's list of cases, and returns for each operator of the device the smallest ones, of different types.
pub(super) fn chosen(listed: &str) -> Vec<(String, Vec<Case>)> {
    let mut operators: Vec<(String, Vec<Case>)> = Vec::new();
    for line in listed.lines() {
        let fields: Vec<&str> = line.trim_matches('"').split("\",\"").collect();
        let ["CUDA0", operator, parameters, _, "1", ..] = fields[..] else { continue };
        let case = Case { operator: operator.to_owned(), parameters: parameters.to_owned() };
        match operators.iter_mut().find(|(name, _)| name == operator) {
            _ if !case.has_kernels() => {}
            Some((_, cases)) => cases.push(case),
            None => operators.push((operator.to_owned(), vec![case])),
        }
    }
    for (_, cases) in &mut operators {
        cases.sort_by(|a, b| a.size().total_cmp(&b.size()).then_with(|| a.parameters.cmp(&b.parameters)));
        let mut seen = BTreeSet::new();
        cases.retain(|case| seen.len() < CASES && seen.insert(case.types().join(" ")));
    }
    operators
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_cases_of_different_types_are_chosen() {
        let listed = r#""backend_name","op_name","op_params","test_mode","supported"
"CUDA0","ADD","type=f32,ne=[8,4,1,1]","support","1"
"CUDA0","ADD","type=f32,ne=[2,4,1,1]","support","1"
"CUDA0","ADD","type=f16,ne=[64,4,1,1]","support","1"
"CUDA0","ADD","type=f64,ne=[1,1,1,1]","support","0"
"CPU","ADD","type=i8,ne=[1,1,1,1]","support","1"
"CUDA0","MUL_MAT","type_a=f32,type_b=f32,m=1","support","1"
"CUDA0","MUL_MAT","type_a=q4_0,type_b=f32,m=16","support","1""#;
        let chosen = chosen(listed);
        let names: Vec<String> = chosen.iter().flat_map(|(_, cases)| cases.iter().map(Case::name)).collect();
        let wanted = [
            "ADD(type=f32,ne=[2,4,1,1])",
            "ADD(type=f16,ne=[64,4,1,1])",
            "MUL_MAT(type_a=q4_0,type_b=f32,m=16)",
        ];
        assert_eq!(names, wanted);
    }
}
