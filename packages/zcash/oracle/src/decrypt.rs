//! Trial decryption of every action with every key, by the crate's own code.

use std::slice;

use orchard::keys::PreparedIncomingViewingKey;
use orchard::note_encryption::{CompactAction, DomainVersion, NoteEncryptionDomain};
use orchard::{Address, Note};
use zcash_note_encryption::{batch, try_compact_note_decryption};

/// Bounds the memory of a batch.
pub const ACTIONS_IN_BATCH: usize = 64;
/// One of this number of pairs is also decrypted alone.
const PAIRS_PER_CHECK: usize = 16;

type Output<V> = (NoteEncryptionDomain<V>, CompactAction);

pub struct Decrypted {
    pub key: usize,
    pub action: usize,
    pub note: Note,
    pub recipient: Address,
}

/// The note of every pair that decrypts, sorted by action, then by key. All pairs are decrypted in batches; the pairs that
/// decrypt and a part of the others are decrypted alone as well.
///
/// Fails if these differ, which would be a defect of the crate.
pub fn decrypt<V: DomainVersion>(
    keys: &[PreparedIncomingViewingKey],
    actions: &[CompactAction],
) -> Result<Vec<Decrypted>, String> {
    let outputs: Vec<Output<V>> = actions
        .iter()
        .map(|action| {
            let domain = NoteEncryptionDomain::for_compact_action(action);
            (domain, action.clone())
        })
        .collect();
    let first_matches = outputs
        .chunks(ACTIONS_IN_BATCH)
        .flat_map(|chunk| batch::try_compact_note_decryption(keys, chunk));
    let mut all = Vec::new();
    for ((action, output), first) in outputs.iter().enumerate().zip(first_matches) {
        let mut found = first.map(|(pair, key)| decrypted(pair, key, action));
        for (key, prepared) in keys.iter().enumerate() {
            let expected = found.take_if(|found| found.key == key);
            if expected.is_some() || (action * keys.len() + key).is_multiple_of(PAIRS_PER_CHECK) {
                check(prepared, output, expected.as_ref()).map_err(|()| {
                    format!("the crate's batch and single decryption differ for key {key} and action {action}")
                })?;
            }
            if expected.is_some() {
                // A batch stops at the first key of an action.
                let next = key + 1;
                found = batch::try_compact_note_decryption(&keys[next..], slice::from_ref(output))
                    .remove(0)
                    .map(|(pair, offset)| decrypted(pair, next + offset, action));
            }
            all.extend(expected);
        }
    }
    Ok(all)
}

fn check<V: DomainVersion>(
    key: &PreparedIncomingViewingKey,
    (domain, action): &Output<V>,
    expected: Option<&Decrypted>,
) -> Result<(), ()> {
    let found = try_compact_note_decryption(domain, key, action);
    match found == expected.map(|expected| (expected.note, expected.recipient)) {
        true => Ok(()),
        false => Err(()),
    }
}

fn decrypted((note, recipient): (Note, Address), key: usize, action: usize) -> Decrypted {
    Decrypted {
        key,
        action,
        note,
        recipient,
    }
}
