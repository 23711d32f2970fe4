//! Compact actions: notes that pay a key, and actions in which one property is wrong.

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20::rand_core::Rng;
use chacha20::{ChaCha20, ChaCha20Rng};
use orchard::keys::{EphemeralSecretKey, Scope};
use orchard::note::{ExtractedNoteCommitment, NoteVersion, Nullifier, RandomSeed, Rho};
use orchard::note_encryption::{
    COMPACT_NOTE_SIZE, CompactAction, IronwoodDomain, IronwoodNoteEncryption, OrchardDomain,
    OrchardNoteEncryption,
};
use orchard::value::NoteValue;
use orchard::{Address, Note};
use serde::Serialize;
use zcash_note_encryption::{Domain, EphemeralKeyBytes, OutPlaintextBytes};

use crate::cases::as_hex;
use crate::encoding::{SIGN_BIT, flip_bit, not_on_curve, out_of_range, plus_modulus};
use crate::keys::{Account, any_index, below, diversifier_index, full_viewing_key, sample};

/// The bits in which the lead bytes of the pools differ.
const LEAD_BYTES: u8 = 0x02 ^ 0x03;
const MAX_MONEY: u64 = 2_100_000_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pool {
    Orchard,
    Ironwood,
}

impl Pool {
    fn note_version(self) -> NoteVersion {
        match self {
            Self::Orchard => NoteVersion::V2,
            Self::Ironwood => NoteVersion::V3,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Orchard => Self::Ironwood,
            Self::Ironwood => Self::Orchard,
        }
    }
}

/// The payment of an action, or its defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A note to an external address of a listed key.
    Paid,
    ForeignKey,
    /// A note to an internal address of a listed key.
    InternalAddress,
    CiphertextBit,
    CmxBit,
    NullifierBit,
    EphemeralKeyBit,
    EphemeralKeyNegated,
    EphemeralKeyIdentity,
    EphemeralKeyNotOnCurve,
    /// An x-coordinate of at least p without a meaning.
    EphemeralKeyOutOfRange,
    /// The right point with p added to its x-coordinate, and a ciphertext for these bytes.
    EphemeralKeyNotCanonical,
    /// The right base field element with p added.
    CmxNotCanonical,
    NullifierNotCanonical,
    /// The cmx of a note that differs in its value only.
    CmxOfOtherNote,
    /// The ciphertext decrypts to the note, but the sender chose the ephemeral secret key.
    ChosenEphemeralSecret,
    ChangedValue,
    ChangedDiversifier,
    /// The note is valid except for this byte.
    ChangedLeadByte,
    /// The note is valid except for this byte.
    LeadByteOfOtherPool,
    /// A note of the other pool.
    OtherPool,
    /// A note of the other pool, with the lead byte of this pool.
    OtherPoolWithLeadByte,
}

const WRONG: [Kind; 21] = [
    Kind::ForeignKey,
    Kind::InternalAddress,
    Kind::CiphertextBit,
    Kind::CmxBit,
    Kind::NullifierBit,
    Kind::EphemeralKeyBit,
    Kind::EphemeralKeyNegated,
    Kind::EphemeralKeyIdentity,
    Kind::EphemeralKeyNotOnCurve,
    Kind::EphemeralKeyOutOfRange,
    Kind::EphemeralKeyNotCanonical,
    Kind::CmxNotCanonical,
    Kind::NullifierNotCanonical,
    Kind::CmxOfOtherNote,
    Kind::ChosenEphemeralSecret,
    Kind::ChangedValue,
    Kind::ChangedDiversifier,
    Kind::ChangedLeadByte,
    Kind::LeadByteOfOtherPool,
    Kind::OtherPool,
    Kind::OtherPoolWithLeadByte,
];

/// The fields of a compact action, which may be invalid.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAction {
    pub kind: Kind,
    pub pool: Pool,
    #[serde(serialize_with = "as_hex")]
    pub nullifier: [u8; 32],
    #[serde(serialize_with = "as_hex")]
    pub cmx: [u8; 32],
    #[serde(serialize_with = "as_hex")]
    pub ephemeral_key: [u8; 32],
    #[serde(serialize_with = "as_hex")]
    pub ciphertext: [u8; COMPACT_NOTE_SIZE],
}

impl RawAction {
    /// None if the crate cannot represent the nullifier or cmx. Then it finds no note in the action.
    pub fn parse(&self) -> Option<CompactAction> {
        Some(CompactAction::from_parts(
            Option::from(Nullifier::from_bytes(&self.nullifier))?,
            Option::from(ExtractedNoteCommitment::from_bytes(&self.cmx))?,
            EphemeralKeyBytes(self.ephemeral_key),
            self.ciphertext,
        ))
    }
}

/// Actions of which every second one pays one of the accounts, beginning with the first one for the first account. The
/// others have each defect in turn.
pub fn actions(count: usize, accounts: &[Account], rng: &mut ChaCha20Rng) -> Vec<RawAction> {
    (0..count)
        .map(|number| {
            let account = match number {
                0 => &accounts[0],
                _ => &accounts[below(accounts.len(), rng)],
            };
            let kind = match number % 2 {
                0 => Kind::Paid,
                _ => WRONG[number / 2 % WRONG.len()],
            };
            action(kind, account, rng)
        })
        .collect()
}

/// An Ironwood action that pays a key outside of any list.
pub fn foreign_action(rng: &mut ChaCha20Rng) -> CompactAction {
    let recipient = full_viewing_key(rng).address_at(0u32, Scope::External);
    let note = note(Pool::Ironwood, recipient, 1, rng);
    encrypt(&note, Kind::ForeignKey, Pool::Ironwood)
        .parse()
        .expect("an honest action is valid")
}

fn action(kind: Kind, account: &Account, rng: &mut ChaCha20Rng) -> RawAction {
    let recipient = match kind {
        Kind::ForeignKey => {
            full_viewing_key(rng).address_at(diversifier_index(any_index(rng)), Scope::External)
        }
        Kind::InternalAddress => account
            .fvk
            .address_at(diversifier_index(any_index(rng)), Scope::Internal),
        _ => external_address(account, rng),
    };
    let pool = [Pool::Orchard, Pool::Ironwood][below(2, rng)];
    let note = note(pool, recipient, value(rng), rng);
    let mut action = encrypt(&note, kind, pool);
    match kind {
        Kind::Paid | Kind::ForeignKey | Kind::InternalAddress => {}
        Kind::CiphertextBit => flip_bit(&mut action.ciphertext, rng),
        Kind::CmxBit => flip_bit(&mut action.cmx, rng),
        Kind::NullifierBit => flip_bit(&mut action.nullifier, rng),
        Kind::EphemeralKeyBit => flip_bit(&mut action.ephemeral_key, rng),
        Kind::EphemeralKeyNegated => action.ephemeral_key[31] ^= SIGN_BIT,
        Kind::EphemeralKeyIdentity => action.ephemeral_key = [0; 32],
        Kind::EphemeralKeyNotOnCurve => action.ephemeral_key = not_on_curve(rng),
        Kind::EphemeralKeyOutOfRange => action.ephemeral_key = out_of_range(rng),
        Kind::EphemeralKeyNotCanonical => {
            action.ephemeral_key = plus_modulus(action.ephemeral_key);
            let esk = OrchardDomain::derive_esk(&note).expect("ZIP 212 applies");
            action.ciphertext = encrypt_plaintext(&note, &esk, action.ephemeral_key);
        }
        Kind::CmxNotCanonical => action.cmx = plus_modulus(action.cmx),
        Kind::NullifierNotCanonical => action.nullifier = plus_modulus(action.nullifier),
        Kind::CmxOfOtherNote => {
            let value = NoteValue::from_raw(note.value().inner() ^ (1 << below(64, rng)));
            let rseed = *note.rseed();
            let other = Note::from_parts(recipient, value, note.rho(), rseed, note.version());
            action.cmx = ExtractedNoteCommitment::from(other.unwrap().commitment()).to_bytes();
        }
        Kind::ChosenEphemeralSecret => {
            let esk = ephemeral_secret(rng);
            let epk = OrchardDomain::ka_derive_public(&note, &esk);
            action.ephemeral_key = OrchardDomain::epk_bytes(&epk).0;
            action.ciphertext = encrypt_plaintext(&note, &esk, action.ephemeral_key);
        }
        Kind::ChangedValue => flip_bit(&mut action.ciphertext[12..20], rng),
        Kind::ChangedDiversifier => flip_bit(&mut action.ciphertext[1..12], rng),
        Kind::ChangedLeadByte => flip_bit(&mut action.ciphertext[..1], rng),
        Kind::LeadByteOfOtherPool => action.ciphertext[0] ^= LEAD_BYTES,
        Kind::OtherPool => action.pool = pool.other(),
        Kind::OtherPoolWithLeadByte => {
            action.pool = pool.other();
            action.ciphertext[0] ^= LEAD_BYTES;
        }
    }
    action
}

/// A listed address, or one at another index.
fn external_address(account: &Account, rng: &mut ChaCha20Rng) -> Address {
    let choice = below(account.addresses.len() + 1, rng);
    account.addresses.get(choice).map_or_else(
        || {
            account
                .external
                .address_at(diversifier_index(any_index(rng)))
        },
        |(_, address)| *address,
    )
}

/// An edge of the range or a value of a random length.
fn value(rng: &mut ChaCha20Rng) -> u64 {
    let edges = [0, 1, MAX_MONEY, u64::MAX - 1, u64::MAX];
    match edges.get(below(2 * edges.len(), rng)) {
        Some(edge) => *edge,
        None => rng.next_u64() >> below(64, rng),
    }
}

fn note(pool: Pool, recipient: Address, value: u64, rng: &mut ChaCha20Rng) -> Note {
    let rho = sample(rng, |bytes| Rho::from_bytes(&bytes).into());
    let value = NoteValue::from_raw(value);
    sample(rng, |bytes| {
        let rseed = Option::from(RandomSeed::from_bytes(bytes, &rho))?;
        Note::from_parts(recipient, value, rho, rseed, pool.note_version()).into()
    })
}

fn encrypt(note: &Note, kind: Kind, pool: Pool) -> RawAction {
    let (ephemeral_key, encrypted) = match pool {
        Pool::Orchard => {
            let encryption = OrchardNoteEncryption::new(None, *note, [0; 512]);
            let epk = OrchardDomain::epk_bytes(encryption.epk());
            (epk, encryption.encrypt_note_plaintext())
        }
        Pool::Ironwood => {
            let encryption = IronwoodNoteEncryption::new(None, *note, [0; 512]);
            let epk = IronwoodDomain::epk_bytes(encryption.epk());
            (epk, encryption.encrypt_note_plaintext())
        }
    };
    RawAction {
        kind,
        pool,
        nullifier: note.rho().to_bytes(),
        cmx: ExtractedNoteCommitment::from(note.commitment()).to_bytes(),
        ephemeral_key: ephemeral_key.0,
        ciphertext: compact(&encrypted.0),
    }
}

/// The compact ciphertext of a dishonest sender, who chooses the ephemeral secret key and the bytes of the public one.
fn encrypt_plaintext(
    note: &Note,
    esk: &EphemeralSecretKey,
    ephemeral_key: [u8; 32],
) -> [u8; COMPACT_NOTE_SIZE] {
    let shared_secret = OrchardDomain::ka_agree_enc(esk, &OrchardDomain::get_pk_d(note));
    let key = OrchardDomain::kdf(shared_secret, &EphemeralKeyBytes(ephemeral_key));
    let mut text = compact(&OrchardDomain::note_plaintext_bytes(note, &[0; 512]).0);
    let mut cipher =
        ChaCha20::new_from_slices(key.as_ref(), &[0; 12]).expect("the key is 32 bytes");
    cipher.seek(64u64);
    cipher.apply_keystream(&mut text);
    text
}

fn compact(text: &[u8]) -> [u8; COMPACT_NOTE_SIZE] {
    text[..COMPACT_NOTE_SIZE]
        .try_into()
        .expect("the range has the length of the array")
}

fn ephemeral_secret(rng: &mut ChaCha20Rng) -> EphemeralSecretKey {
    sample(rng, |bytes| {
        OrchardDomain::extract_esk(&OutPlaintextBytes(bytes))
    })
}
