/** AES-256 encryption (FIPS 197) of one block. */

const SBOX = memory.data(256)
/** MixColumns of a byte in row 0 after SubBytes. The tables of the other rows are rotations of this one. */
const MIXED = memory.data(256 * 4, 4)
/** The expanded key: 15 round keys of 4 words. */
export const ROUND_KEYS = memory.data(60 * 4, 4)
const ROUNDS = 14

/** Fills the tables. Called once. */
export function initAes(): void {
  // 3 generates all bytes but 0; q is the inverse of p in GF(2^8).
  let p: u32 = 1, q: u32 = 1
  do {
    p = (p ^ (p << 1) ^ (p & 0x80 ? 0x11b : 0)) & 0xff
    q ^= q << 1
    q ^= q << 2
    q ^= q << 4
    q = (q ^ (q & 0x80 ? 0x09 : 0)) & 0xff
    setTables(p, q ^ rotate8(q, 1) ^ rotate8(q, 2) ^ rotate8(q, 3) ^ rotate8(q, 4) ^ 0x63)
  } while (p != 1)
  setTables(0, 0x63)
}

function rotate8(byte: u32, bits: u32): u32 { return ((byte << bits) | (byte >> (8 - bits))) & 0xff }

function setTables(byte: u32, substitute: u32): void {
  const twice = ((substitute << 1) ^ (substitute & 0x80 ? 0x11b : 0)) & 0xff
  store<u8>(SBOX + byte, <u8>substitute)
  store<u32>(MIXED + 4 * byte, twice | (substitute << 8) | (substitute << 16) | ((twice ^ substitute) << 24))
}

/** A column of the next round, from the columns that ShiftRows brings together. */
// @ts-ignore: decorator
@inline function mix(a: u32, b: u32, c: u32, d: u32, key: usize): u32 {
  return load<u32>(MIXED + 4 * <usize>(a & 0xff)) ^
    rotl<u32>(load<u32>(MIXED + 4 * <usize>((b >> 8) & 0xff)), 8) ^
    rotl<u32>(load<u32>(MIXED + 4 * <usize>((c >> 16) & 0xff)), 16) ^
    rotl<u32>(load<u32>(MIXED + 4 * <usize>(d >> 24)), 24) ^
    load<u32>(key)
}

// @ts-ignore: decorator
@inline function substitute(a: u32, b: u32, c: u32, d: u32, key: usize): u32 {
  return (<u32>load<u8>(SBOX + (a & 0xff)) | (<u32>load<u8>(SBOX + ((b >> 8) & 0xff)) << 8) |
    (<u32>load<u8>(SBOX + ((c >> 16) & 0xff)) << 16) | (<u32>load<u8>(SBOX + (d >> 24)) << 24)) ^ load<u32>(key)
}

/** Encrypts the block at `block` in place. */
export function encryptBlock(block: usize): void {
  let a = load<u32>(block) ^ load<u32>(ROUND_KEYS)
  let b = load<u32>(block, 4) ^ load<u32>(ROUND_KEYS, 4)
  let c = load<u32>(block, 8) ^ load<u32>(ROUND_KEYS, 8)
  let d = load<u32>(block, 12) ^ load<u32>(ROUND_KEYS, 12)
  let key: usize = ROUND_KEYS + 16
  for (let round = 1; round < ROUNDS; round++) {
    const a2 = mix(a, b, c, d, key)
    const b2 = mix(b, c, d, a, key + 4)
    const c2 = mix(c, d, a, b, key + 8)
    d = mix(d, a, b, c, key + 12)
    a = a2
    b = b2
    c = c2
    key += 16
  }
  store<u32>(block, substitute(a, b, c, d, key))
  store<u32>(block, substitute(b, c, d, a, key + 4), 4)
  store<u32>(block, substitute(c, d, a, b, key + 8), 8)
  store<u32>(block, substitute(d, a, b, c, key + 12), 12)
}
