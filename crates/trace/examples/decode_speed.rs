//! How fast a trace is read: `cargo run --release -p trace --example decode_speed -- FILE`.

use std::fs::File;
use std::io::BufReader;
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("decode_speed FILE");
    let start = Instant::now();
    let (played, result) = trace::play(BufReader::new(File::open(path).expect("a file")), &events::NoMonitor);
    let took = start.elapsed().as_secs_f64();
    println!(
        "{} events, {:.3} s, {:.1} M/s, {result:?}",
        played.events(),
        took,
        played.events() as f64 / took / 1e6
    );
}
