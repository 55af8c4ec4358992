//! A million ids of mixed shapes: as many surrogates as ids, each of the shape of its own.

use std::collections::HashSet;

use taire_surrogate::{IdKind, Rewriter, SecretKey, Settings};

/// So many numbers, each written in the ways that warehouses write ids.
const NUMBERS: u64 = 56_000;

fn written(n: u64) -> Vec<String> {
    let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    vec![
        n.to_string(),
        format!("{n:05}"),
        format!("{n:08}"),
        format!("8{n:09}"),
        scattered.to_string(),
        (scattered >> 33).to_string(),
        format!("PAT-{n}"),
        format!("pat-{n}"),
        format!("Pat-{n}"),
        format!("PAT {n}"),
        format!(" PAT-{n}"),
        format!("PAT-{n} "),
        format!("{n}-A"),
        format!("CHU/{}/{n:06}", n % 7),
        format!("{scattered:016x}"),
        format!("{scattered:016X}{n:016X}"),
        format!("{:08x}-{:04x}-4000-8000-{n:012x}", scattered >> 32, scattered & 0xffff),
        format!("É{n}"),
        format!("患者{n}"),
    ]
}

/// A digest that is kept instead of the strings: two of a million are equal by chance once in 10^26.
fn digest(text: &str) -> u128 {
    let half = |seed: u64| {
        text.bytes().fold(seed, |hash, byte| {
            (hash ^ u64::from(byte))
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(23)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    };
    u128::from(half(0xcbf2_9ce4_8422_2325)) << 64 | u128::from(half(0x1234_5678_9abc_def1))
}

#[test]
fn a_million_ids_have_a_million_surrogates() {
    let key = SecretKey::from_bytes(&[9; 32]).unwrap();
    let rewriter = Rewriter::new(key, Settings::default()).unwrap();
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let pairs: Vec<(u128, u128)> = std::thread::scope(|scope| {
        let work = |worker: u64| {
            let rewriter = &rewriter;
            move || {
                let mine = (worker..NUMBERS).step_by(workers as usize).flat_map(written);
                mine.map(|id| (digest(&id), digest(&rewriter.join_key(IdKind::Patient, &id))))
                    .collect::<Vec<_>>()
            }
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(work(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let pairs: HashSet<(u128, u128)> = pairs.into_iter().collect();
    let ids: HashSet<u128> = pairs.iter().map(|pair| pair.0).collect();
    let surrogates: HashSet<u128> = pairs.iter().map(|pair| pair.1).collect();
    assert!(ids.len() >= 1_000_000, "{} ids", ids.len());
    assert_eq!((surrogates.len(), pairs.len()), (ids.len(), ids.len()));
}
