/**
 * From shared secrets to the first byte of the note plaintext, by BLAKE2b and ChaCha20 (RFC 8439) as in protocol specification §5.4.5.6 and ZIP 307. Twin: `noteEncryptionKey` and `decryptCompact` of note-cipher.ts.
 */
import { compress, HASH, initHash, MESSAGE } from './blake2b'
import { encodeWords } from './canonical'
import { ACCUMULATORS, OUTPUT, PAIR_ACTIONS } from './layout'
import { ELEMENT, gather } from './limbs'

/** Digest of 32 bytes, no key, fanout 1, depth 1, and "Zcash_OrchardKDF" as personalization. */
const KDF_PARAMETERS = memory.data<u64>([0x01010020, 0, 0, 0, 0, 0, 0x724f5f687361635a, 0x46444b6472616863])

/** The symmetric keys of two slots, 4 × 32 bytes. */
const KEYS = memory.data(4 * 32, 16)
const BLOCK = memory.data(16 * 16, 16)

/** Computes the keys of a slot, whose epks are at two addresses, to KEYS. */
function deriveKeys(slot: usize, epk0: usize, epk1: usize, keys: usize): void {
  encodeWords(MESSAGE, ACCUMULATORS + slot * 2 * ELEMENT)
  for (let i = 0; i < 4; i++) v128.store(MESSAGE + 16 * (i + 4), gather(epk0 + 8 * i, epk1 + 8 * i))
  memory.fill(MESSAGE + 128, 0, 128)
  initHash(KDF_PARAMETERS)
  compress(64, true)
  for (let i: usize = 0; i < 4; i++) {
    store<u64>(keys + 8 * i, load<u64>(HASH + 16 * i))
    store<u64>(keys + 32 + 8 * i, load<u64>(HASH + 16 * i, 8))
  }
}

// @ts-ignore: decorator
@inline function quarterRound(a: usize, b: usize, c: usize, d: usize): void {
  let va = v128.load(BLOCK + 16 * a), vb = v128.load(BLOCK + 16 * b)
  let vc = v128.load(BLOCK + 16 * c), vd = v128.load(BLOCK + 16 * d)
  va = i32x4.add(va, vb)
  vd = v128.xor(vd, va)
  vd = i8x16.shuffle(vd, vd, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
  vc = i32x4.add(vc, vd)
  vb = v128.xor(vb, vc)
  vb = v128.or(i32x4.shl(vb, 12), i32x4.shr_u(vb, 20))
  va = i32x4.add(va, vb)
  vd = v128.xor(vd, va)
  vd = i8x16.shuffle(vd, vd, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)
  vc = i32x4.add(vc, vd)
  vb = v128.xor(vb, vc)
  vb = v128.or(i32x4.shl(vb, 7), i32x4.shr_u(vb, 25))
  v128.store(BLOCK + 16 * a, va)
  v128.store(BLOCK + 16 * b, vb)
  v128.store(BLOCK + 16 * c, vc)
  v128.store(BLOCK + 16 * d, vd)
}

const CHACHA_0: u32 = 0x61707865

/** The first words of the key stream of four keys (counter 1, nonce 0). */
function firstWords(): v128 {
  v128.store(BLOCK, i32x4.splat(CHACHA_0))
  v128.store(BLOCK, i32x4.splat(0x3320646e), 16)
  v128.store(BLOCK, i32x4.splat(0x79622d32), 32)
  v128.store(BLOCK, i32x4.splat(0x6b206574), 48)
  for (let i: usize = 0; i < 8; i++) {
    let word = v128.load32_splat(KEYS + 4 * i)
    word = v128.load_lane<u32>(KEYS + 4 * i, word, 1, 32)
    word = v128.load_lane<u32>(KEYS + 4 * i, word, 2, 64)
    word = v128.load_lane<u32>(KEYS + 4 * i, word, 3, 96)
    v128.store(BLOCK + 16 * (4 + i), word)
  }
  v128.store(BLOCK, i32x4.splat(1), 192)
  for (let i: usize = 13; i < 16; i++) v128.store(BLOCK + 16 * i, i32x4.splat(0))
  for (let i = 0; i < 10; i++) {
    quarterRound(0, 4, 8, 12)
    quarterRound(1, 5, 9, 13)
    quarterRound(2, 6, 10, 14)
    quarterRound(3, 7, 11, 15)
    quarterRound(0, 5, 10, 15)
    quarterRound(1, 6, 11, 12)
    quarterRound(2, 7, 8, 13)
    quarterRound(3, 4, 9, 14)
  }
  return i32x4.add(v128.load(BLOCK), i32x4.splat(CHACHA_0))
}

/** Bytes of a candidate: the number of the pair (4), and its symmetric key (32). */
const CANDIDATE: usize = 36

/**
 * Writes the pairs whose note plaintext begins with `leadByte` to OUTPUT, in ascending order, and returns their number.
 * PAIR_ACTIONS has for each pair the address of the encoded epk, which the first byte of the ciphertext follows.
 */
export function findCandidates(pairs: usize, leadByte: u32): i32 {
  let found = 0
  for (let n: usize = 0; n < pairs; n += 4) {
    deriveKeys(n / 2, epk(n), epk(n + 1), KEYS)
    if (n + 2 < pairs) deriveKeys(n / 2 + 1, epk(n + 2), epk(n + 3), KEYS + 64)
    v128.store(BLOCK, firstWords())
    for (let lane: usize = 0; lane < 4 && n + lane < pairs; lane++) {
      const ciphertext = <u32>load<u8>(epk(n + lane), 32)
      if ((load<u8>(BLOCK + 4 * lane) ^ ciphertext) != leadByte) continue
      const out = OUTPUT + <usize>found * CANDIDATE
      store<u32>(out, <u32>(n + lane))
      memory.copy(out + 4, KEYS + 32 * lane, 32)
      found++
    }
  }
  return found
}

// @ts-ignore: decorator
@inline function epk(n: usize): usize { return <usize>load<u32>(PAIR_ACTIONS + 4 * n) }
