//! Random keys and addresses.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::Rng;
use orchard::Address;
use orchard::keys::{DiversifierIndex, FullViewingKey, IncomingViewingKey, Scope, SpendingKey};

const MAX_INDEX: u128 = (1 << 88) - 1;
const EDGE_INDEXES: [u128; 8] = [
    0,
    MAX_INDEX,
    1,
    MAX_INDEX - 1,
    u32::MAX as u128,
    u64::MAX as u128,
    1 << 64,
    1 << 87,
];

pub struct Account {
    pub fvk: FullViewingKey,
    pub external: IncomingViewingKey,
    pub addresses: Vec<(u128, Address)>,
}

/// Accounts with three external addresses each: at any index, at one of a random length, and at an edge of the range.
/// From four accounts on, the last one repeats the keys of the first one.
pub fn accounts(count: usize, rng: &mut ChaCha20Rng) -> Vec<Account> {
    let mut fvks: Vec<FullViewingKey> = (0..count).map(|_| full_viewing_key(rng)).collect();
    if count >= 4 {
        fvks[count - 1] = fvks[0].clone();
    }
    fvks.into_iter()
        .enumerate()
        .map(|(number, fvk)| {
            let external = fvk.to_ivk(Scope::External);
            let edge = EDGE_INDEXES[number % EDGE_INDEXES.len()];
            let addresses = [any_index(rng), index_of_any_length(rng), edge]
                .map(|index| (index, external.address_at(diversifier_index(index))))
                .to_vec();
            Account {
                fvk,
                external,
                addresses,
            }
        })
        .collect()
}

pub fn full_viewing_key(rng: &mut ChaCha20Rng) -> FullViewingKey {
    let key: SpendingKey = sample(rng, |bytes| SpendingKey::from_bytes(bytes).into());
    FullViewingKey::from(&key)
}

/// An incoming viewing key without a full viewing key, which takes far less time to generate.
pub fn incoming_viewing_key(rng: &mut ChaCha20Rng) -> IncomingViewingKey {
    sample(rng, |bytes| IncomingViewingKey::from_bytes(&bytes).into())
}

pub fn any_index(rng: &mut ChaCha20Rng) -> u128 {
    u128::from_le_bytes(random_bytes(rng)) & MAX_INDEX
}

pub fn diversifier_index(index: u128) -> DiversifierIndex {
    DiversifierIndex::try_from(index).expect("the index has at most 88 bits")
}

/// The first value that `parse` accepts in a sequence of random bytes.
pub fn sample<const N: usize, T>(rng: &mut ChaCha20Rng, parse: impl Fn([u8; N]) -> Option<T>) -> T {
    loop {
        if let Some(value) = parse(random_bytes(rng)) {
            return value;
        }
    }
}

fn random_bytes<const N: usize>(rng: &mut ChaCha20Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// A number from 0 to `end` - 1.
pub fn below(end: usize, rng: &mut ChaCha20Rng) -> usize {
    ((u128::from(rng.next_u64()) * end as u128) >> 64) as usize
}

fn index_of_any_length(rng: &mut ChaCha20Rng) -> u128 {
    any_index(rng) >> below(88, rng)
}
