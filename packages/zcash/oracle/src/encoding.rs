//! Invalid encodings of points and field elements.

use chacha20::ChaCha20Rng;
use orchard::note_encryption::OrchardDomain;
use zcash_note_encryption::{Domain, EphemeralKeyBytes};

use crate::keys::{below, sample};

/// The modulus p of the Pallas base field, little-endian.
const MODULUS: [u8; 32] = [
    0x01, 0x00, 0x00, 0x00, 0xed, 0x30, 0x2d, 0x99, 0x1b, 0xf9, 0x4c, 0x09, 0xfc, 0x98, 0x46, 0x22,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40,
];
/// In the last byte of an encoded point: the sign of its y-coordinate.
pub const SIGN_BIT: u8 = 0x80;

/// A canonical field element with a sign that is no point.
pub fn not_on_curve(rng: &mut ChaCha20Rng) -> [u8; 32] {
    sample(rng, |mut bytes| {
        bytes[31] &= 0x3f | SIGN_BIT;
        let point = OrchardDomain::epk(&EphemeralKeyBytes(bytes));
        point.is_none().then_some(bytes)
    })
}

pub fn out_of_range(rng: &mut ChaCha20Rng) -> [u8; 32] {
    let mut negative_zero = [0; 32];
    negative_zero[31] = SIGN_BIT;
    let mut largest = [0xff; 32];
    largest[31] ^= SIGN_BIT;
    let mut negative_modulus = MODULUS;
    negative_modulus[31] |= SIGN_BIT;
    let edges = [
        negative_zero,
        MODULUS,
        negative_modulus,
        largest,
        [0xff; 32],
    ];
    edges[below(edges.len(), rng)]
}

/// Adds p to the lower 255 bits and keeps the highest bit.
pub fn plus_modulus(bytes: [u8; 32]) -> [u8; 32] {
    let mut sum = [0; 32];
    let mut carry = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let byte = if index == 31 { byte & !SIGN_BIT } else { *byte };
        let total = u16::from(byte) + u16::from(MODULUS[index]) + carry;
        sum[index] = total as u8;
        carry = total >> 8;
    }
    sum[31] = (sum[31] & !SIGN_BIT) | (bytes[31] & SIGN_BIT);
    sum
}

pub fn flip_bit(bytes: &mut [u8], rng: &mut ChaCha20Rng) {
    let bit = below(bytes.len() * 8, rng);
    bytes[bit / 8] ^= 1 << (bit % 8);
}
