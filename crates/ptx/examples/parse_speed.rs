//! Parses files again and again and prints the best rate:
//! `cargo run --release -p ptx --example parse_speed -- FILE…`

use std::time::Instant;

fn main() {
    let texts: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut best = 0f64;
    for _ in 0..10 {
        let start = Instant::now();
        let mut items = 0;
        for text in &texts {
            items += ptx::parse(text).module.items.len();
        }
        let rate = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
        best = best.max(rate);
        println!("{items} items of {bytes} bytes: {rate:.0} MB/s");
    }
    println!("best: {best:.0} MB/s");
}
