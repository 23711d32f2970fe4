//! The `cases` command: keys, addresses, actions, and what the crate decrypts.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::SeedableRng;
use orchard::keys::PreparedIncomingViewingKey;
use orchard::note_encryption::{DomainVersion, IronwoodVersion, OrchardVersion};
use serde::{Serialize, Serializer};

use crate::action::{Pool, RawAction, actions};
use crate::arguments::Arguments;
use crate::decrypt::decrypt;
use crate::keys::{Account, accounts};

pub struct Request {
    seed: u64,
    keys: usize,
    actions: usize,
}

impl Request {
    pub fn take(given: &mut Arguments) -> Result<Self, String> {
        let seed = given.seed()?;
        let (keys, actions) = given.counts()?;
        Ok(Self {
            seed,
            keys,
            actions,
        })
    }
}

#[derive(Serialize)]
pub struct Cases {
    #[serde(serialize_with = "as_decimal")]
    seed: u64,
    keys: Vec<Key>,
    actions: Vec<RawAction>,
    /// Sorted by action, then by key.
    matches: Vec<Match>,
}

#[derive(Serialize)]
struct Key {
    #[serde(serialize_with = "as_hex")]
    fvk: [u8; 96],
    #[serde(serialize_with = "as_hex")]
    incoming: [u8; 64],
    addresses: Vec<KeyAddress>,
}

#[derive(Serialize)]
struct KeyAddress {
    #[serde(serialize_with = "as_decimal")]
    index: u128,
    #[serde(serialize_with = "as_hex")]
    receiver: [u8; 43],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Match {
    key_index: usize,
    action_index: usize,
    #[serde(serialize_with = "as_decimal")]
    value: u64,
    #[serde(serialize_with = "as_hex")]
    receiver: [u8; 43],
    /// None if the crate finds no index of the receiver under the key.
    diversifier_index: Option<String>,
    #[serde(serialize_with = "as_hex")]
    rseed: [u8; 32],
}

pub fn generate(request: Request) -> Result<Cases, String> {
    let mut rng = ChaCha20Rng::seed_from_u64(request.seed);
    let accounts = accounts(request.keys, &mut rng);
    let actions = actions(request.actions, &accounts, &mut rng);
    let mut matches = matches_in::<OrchardVersion>(Pool::Orchard, &accounts, &actions)?;
    matches.extend(matches_in::<IronwoodVersion>(
        Pool::Ironwood,
        &accounts,
        &actions,
    )?);
    matches.sort_by_key(|found| (found.action_index, found.key_index));
    Ok(Cases {
        seed: request.seed,
        keys: accounts.iter().map(key).collect(),
        actions,
        matches,
    })
}

fn key(account: &Account) -> Key {
    let addresses = account.addresses.iter().map(|(index, address)| KeyAddress {
        index: *index,
        receiver: address.to_raw_address_bytes(),
    });
    Key {
        fvk: account.fvk.to_bytes(),
        incoming: account.external.to_bytes(),
        addresses: addresses.collect(),
    }
}

fn matches_in<V: DomainVersion>(
    pool: Pool,
    accounts: &[Account],
    actions: &[RawAction],
) -> Result<Vec<Match>, String> {
    let (indexes, parsed): (Vec<usize>, Vec<_>) = actions
        .iter()
        .enumerate()
        .filter(|(_, action)| action.pool == pool)
        .filter_map(|(index, action)| Some((index, action.parse()?)))
        .unzip();
    let keys: Vec<_> = accounts
        .iter()
        .map(|account| PreparedIncomingViewingKey::new(&account.external))
        .collect();
    let decrypted = decrypt::<V>(&keys, &parsed)?;
    Ok(decrypted
        .into_iter()
        .map(|found| Match {
            key_index: found.key,
            action_index: indexes[found.action],
            value: found.note.value().inner(),
            receiver: found.recipient.to_raw_address_bytes(),
            diversifier_index: accounts[found.key]
                .external
                .diversifier_index(&found.recipient)
                .map(|index| u128::from(index).to_string()),
            rseed: *found.note.rseed().as_bytes(),
        })
        .collect())
}

pub fn as_hex<S: Serializer, const N: usize>(
    bytes: &[u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn as_decimal<S: Serializer>(
    number: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
