//! The `time` command: rates of the crate on one thread.

use std::hint::black_box;
use std::time::Instant;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::SeedableRng;
use orchard::keys::{PreparedIncomingViewingKey, Scope};
use orchard::note_encryption::IronwoodDomain;
use serde::Serialize;
use zcash_note_encryption::{batch, try_compact_note_decryption};

use crate::action::foreign_action;
use crate::arguments::Arguments;
use crate::decrypt::ACTIONS_IN_BATCH;
use crate::keys::{any_index, diversifier_index, full_viewing_key, incoming_viewing_key};

/// The rate of a batch does not grow with more keys.
const KEYS_IN_BATCH: usize = 64;
const SLICES: u32 = 5;
const DEFAULT_SECONDS: f64 = 2.0;

pub struct Request {
    keys: usize,
    actions: usize,
    seconds: f64,
}

impl Request {
    pub fn take(given: &mut Arguments) -> Result<Self, String> {
        let (keys, actions) = given.counts()?;
        let seconds = given.seconds(DEFAULT_SECONDS)?;
        Ok(Self {
            keys,
            actions,
            seconds,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    /// The field arithmetic: `portable`, or `x86-64` or `aarch64` with the feature `asm`.
    backend: &'static str,
    batch_pairs_per_second: f64,
    single_pairs_per_second: f64,
    addresses_per_second: f64,
    /// The same from a full viewing key, which derives the incoming one each time.
    full_addresses_per_second: f64,
}

pub fn measure(request: Request) -> Rates {
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let viewing_key = incoming_viewing_key(&mut rng);
    let full_viewing_key = full_viewing_key(&mut rng);
    let keys: Vec<_> = (0..request.keys)
        .map(|_| PreparedIncomingViewingKey::new(&incoming_viewing_key(&mut rng)))
        .collect();
    let outputs: Vec<_> = (0..request.actions)
        .map(|_| foreign_action(&mut rng))
        .map(|action| (IronwoodDomain::for_compact_action(&action), action))
        .collect();
    let mut batches = outputs
        .chunks(ACTIONS_IN_BATCH)
        .flat_map(|outputs| keys.chunks(KEYS_IN_BATCH).map(move |keys| (keys, outputs)))
        .cycle();
    let batch_pairs_per_second = best_rate(request.seconds, || {
        let (keys, outputs) = batches.next().expect("the lists are not empty");
        black_box(batch::try_compact_note_decryption(keys, outputs));
        keys.len() * outputs.len()
    });
    let mut pairs = outputs
        .iter()
        .flat_map(|output| keys.iter().map(move |key| (output, key)))
        .cycle();
    let single_pairs_per_second = best_rate(request.seconds, || {
        let ((domain, action), key) = pairs.next().expect("the lists are not empty");
        black_box(try_compact_note_decryption(domain, key, action));
        1
    });
    let mut index = any_index(&mut rng) >> 1;
    let addresses_per_second = best_rate(request.seconds, || {
        index += 1;
        black_box(
            viewing_key
                .address_at(diversifier_index(index))
                .to_raw_address_bytes(),
        );
        1
    });
    let full_addresses_per_second = best_rate(request.seconds, || {
        index += 1;
        black_box(
            full_viewing_key
                .address_at(diversifier_index(index), Scope::External)
                .to_raw_address_bytes(),
        );
        1
    });
    Rates {
        backend: pasta_curves::BACKEND,
        batch_pairs_per_second,
        single_pairs_per_second,
        addresses_per_second,
        full_addresses_per_second,
    }
}

/// The best rate of several slices after a warm-up. Other load on the machine only lowers a rate. `work` returns the
/// number of items that it processed.
fn best_rate(seconds: f64, mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    let mut slice = || {
        let slice_start = Instant::now();
        let mut items = 0;
        loop {
            items += work();
            let elapsed = slice_start.elapsed().as_secs_f64();
            if elapsed >= seconds / f64::from(SLICES + 1) {
                return items as f64 / elapsed;
            }
        }
    };
    slice();
    let mut best = slice();
    while start.elapsed().as_secs_f64() < seconds {
        best = slice().max(best);
    }
    best
}
