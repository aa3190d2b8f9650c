// SPDX-License-Identifier: MIT
//! Counts made-up words, to be recorded: what optimised Rust does to stacks is all in it.
//!
//!     main
//!      ├ count      hot: the standard library's default hasher, inlined iterators and closures
//!      ├ Tree::sum  recursion over boxed children, a closure at each node
//!      └ threads    each with a share of the words
//!
//! All work is by count, not by time.
use std::collections::HashMap;
use std::thread;

struct Random(u64);

impl Iterator for Random {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Some(self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Word([u8; 8]);

impl Word {
    fn new(x: u64) -> Word {
        Word(std::array::from_fn(|i| b'a' + (x >> (8 * i)) as u8 % 3))
    }

    fn vowels(&self) -> usize {
        self.0.iter().filter(|&&c| c == b'a').count()
    }
}

#[inline(never)]
fn count(words: &[Word], rounds: usize) -> HashMap<Word, usize> {
    let mut counts = HashMap::new();
    for _ in 0..rounds {
        words
            .iter()
            .copied()
            .filter(|w| w.vowels() > 1)
            .for_each(|w| *counts.entry(w).or_insert(0) += 1);
    }
    counts
}

struct Tree {
    value: u64,
    children: Vec<Tree>,
}

impl Tree {
    fn grow(levels: u32, random: &mut Random) -> Tree {
        let value = random.next().unwrap();
        let children = match levels {
            0 => Vec::new(),
            _ => (0..3).map(|_| Tree::grow(levels - 1, random)).collect(),
        };
        Tree { value, children }
    }

    #[inline(never)]
    fn sum<F: Fn(u64) -> u64 + Copy>(&self, weigh: F) -> u64 {
        let own = weigh(self.value);
        self.children
            .iter()
            .fold(own, |sum, child| sum.wrapping_add(child.sum(weigh)))
    }
}

fn work(seed: u64, rounds: usize) -> u64 {
    let mut random = Random(seed);
    let words: Vec<Word> = random.by_ref().take(2000).map(Word::new).collect();
    let counts = count(&words, rounds);
    let tree = Tree::grow(6, &mut random);
    let sum = (0..rounds as u64 * 3)
        .map(|i| tree.sum(move |v| (v ^ i).rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .fold(0, u64::wrapping_add);
    sum.wrapping_add(counts.values().sum::<usize>() as u64)
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(1000);
    let others: Vec<_> = (1..3)
        .map(|i| {
            thread::Builder::new()
                .name(format!("count-{i}"))
                .spawn(move || work(i, rounds / 2))
        })
        .collect();
    let mut sum = work(99, rounds);
    for handle in others {
        sum ^= handle.unwrap().join().unwrap();
    }
    println!("{sum}");
}
