// SPDX-License-Identifier: MIT
// As hints.cpp, for what Rust programs spend their time in: hints NAME.
use std::collections::{BTreeMap, HashMap, LinkedList, VecDeque};
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::Instant;

extern "C" {
    fn clock() -> std::ffi::c_long; // CPU time in microseconds: the same work on a busy machine
}

mod own {
    use super::*;

    #[inline(never)]
    pub fn allocation() {
        for i in 0..20000usize {
            black_box(vec![0u8; 40 + i % 500]);
        }
    }

    #[inline(never)]
    pub fn hashing(map: &mut HashMap<u64, u64>) {
        for i in 0..100000u64 {
            *map.entry(i * 7919 % 50000).or_insert(0) += i;
        }
    }

    #[inline(never)]
    pub fn tree_search(map: &BTreeMap<u64, u64>) {
        for i in 0..100000u64 {
            black_box(map.get(&(i * 7919 % 100000)));
        }
    }

    #[inline(never)]
    pub fn formatting() {
        for i in 0..20000u64 {
            black_box(format!("{} {:.6} {:?}", i, i as f64 * 0.1, Some(i)));
        }
    }

    #[inline(never)]
    pub fn parsing() {
        for _ in 0..100000 {
            black_box(black_box("3.14159265358979").parse::<f64>().unwrap());
        }
    }

    #[inline(never)]
    pub fn copying(v: &mut VecDeque<u64>) {
        for i in 0..200u64 {
            v.insert(v.len() / 2, i);
            v.remove(v.len() / 4);
        }
    }

    #[inline(never)]
    pub fn sorting() {
        let mut x = 1u64;
        let mut v: Vec<u64> = (0..100000)
            .map(|_| {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                x >> 20
            })
            .collect();
        v.sort();
        black_box(&v);
    }

    #[inline(never)]
    pub fn locking(m: &Mutex<u64>) {
        for _ in 0..300000 {
            *m.lock().unwrap() += 1;
        }
    }

    #[inline(never)]
    pub fn exceptions() {
        for i in 0..2000 {
            let r = std::panic::catch_unwind(|| {
                if black_box(i) >= 0 {
                    std::panic::resume_unwind(Box::new(i));
                }
            });
            black_box(r.is_err());
        }
    }

    #[inline(never)]
    pub fn reference_counting(a: &Arc<u64>) {
        for _ in 0..300000 {
            black_box(Arc::clone(black_box(a)));
        }
    }

    #[inline(never)]
    pub fn clock_reading() {
        for _ in 0..100000 {
            black_box(Instant::now());
        }
    }

    #[inline(never)]
    pub fn list_walk(l: &LinkedList<u64>) {
        for _ in 0..20 {
            black_box(l.iter().fold(0u64, |a, b| a ^ b));
        }
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut map = HashMap::new();
    let tree: BTreeMap<u64, u64> = (0..100000).map(|i| (i, i)).collect();
    let mut deque: VecDeque<u64> = (0..300000).collect();
    let list: LinkedList<u64> = (0..100000).collect();
    let mutex = Mutex::new(0);
    let arc = Arc::new(1);

    let start = unsafe { clock() };
    while unsafe { clock() } - start < 400_000 {
        match name.as_str() {
            "allocation" => own::allocation(),
            "hashing" => own::hashing(&mut map),
            "tree-search" => own::tree_search(&tree),
            "formatting" => own::formatting(),
            "parsing" => own::parsing(),
            "copying" => own::copying(&mut deque),
            "sorting" => own::sorting(),
            "locking" => own::locking(&mutex),
            "exceptions" => own::exceptions(),
            "reference-counting" => own::reference_counting(&arc),
            "clock-reading" => own::clock_reading(),
            "list-walk" => own::list_walk(&list),
            _ => return,
        }
    }
}
