//! Parses and flattens files repeatedly and prints the best rates: `cargo run --release -p ptx --example
//! parse_speed -- FILE…`

use std::time::Instant;

fn main() {
    let texts: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let (mut best, mut flat) = (0f64, 0f64);
    for _ in 0..10 {
        let start = Instant::now();
        let mut items = 0;
        for text in &texts {
            items += ptx::parse(text).module.items.len();
        }
        let rate = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
        best = best.max(rate);
        println!("{items} items of {bytes} bytes: {rate:.0} MB/s");
        let modules: Vec<_> = texts.iter().map(|text| ptx::parse(text).module).collect();
        let start = Instant::now();
        let mut instructions = 0;
        for item in modules.iter().flat_map(|module| &module.items) {
            if let ptx::ast::Item::Function(function) = item {
                instructions += ptx::flatten(function).instructions.len();
            }
        }
        flat = flat.max(instructions as f64 / 1e6 / start.elapsed().as_secs_f64());
    }
    println!("best: {best:.0} MB/s parsed, {flat:.1} million instructions/s flattened");
}
