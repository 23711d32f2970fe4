/** F4Jumble (ZIP 316) of messages of 48 to 64 bytes, which every hash reads in one block: two messages at a time. */
import { compress, HASH, initHash, MESSAGE } from './blake2b'
import { INPUT } from './layout'

/** Bytes between two messages. */
const STRIDE: usize = 64
/** No key, fanout 1, depth 1; the length of the digest and the round are added. */
const PARAMETERS = memory.data<u64>([0, 0, 0, 0, 0, 0, 0, 0])
const SEQUENTIAL: u64 = 0x01010000
/** "UA_F4Jumble_H" and "UA_F4Jumble_G". The round follows in byte 13. */
const NAME: u64 = 0x6d754a34465f4155
const NAME_H: u64 = 0x485f656c62
const NAME_G: u64 = 0x475f656c62
const DIGEST_OF_G: u64 = 64

/** Two messages of two halves of 32 bytes, filled up with zeros. */
const LANES = memory.data(128, 16)
const RIGHT: usize = 32
/** The bytes that count in a half. */
const LEFT_MASK = memory.data(32, 16)
const RIGHT_MASK = memory.data(32, 16)

/** Jumbles `count` messages of `length` bytes, 64 bytes apart, at INPUT. Twin: `f4Jumble`. */
export function jumble(count: usize, length: usize): void {
  const left = length / 2
  const right = length - left
  memory.fill(LEFT_MASK, 0, 32)
  memory.fill(LEFT_MASK, 255, left)
  memory.fill(RIGHT_MASK, 0, 32)
  memory.fill(RIGHT_MASK, 255, right)
  for (let n: usize = 0; n < count; n += 2) {
    const last = min(n + 1, count - 1)
    memory.fill(LANES, 0, 128)
    copyHalves(LANES, INPUT + n * STRIDE, left, right)
    copyHalves(LANES + 64, INPUT + last * STRIDE, left, right)
    for (let round: u64 = 0; round < 2; round++) {
      mix(RIGHT, RIGHT_MASK, 0, left, DIGEST_OF_G, NAME_G | (round << 40))
      mix(0, LEFT_MASK, RIGHT, right, left, NAME_H | (round << 40))
    }
    memory.copy(INPUT + n * STRIDE, LANES, left)
    memory.copy(INPUT + n * STRIDE + left, LANES + RIGHT, right)
    memory.copy(INPUT + last * STRIDE, LANES + 64, left)
    memory.copy(INPUT + last * STRIDE + left, LANES + 64 + RIGHT, right)
  }
}

function copyHalves(lane: usize, message: usize, left: usize, right: usize): void {
  memory.copy(lane, message, left)
  memory.copy(lane + RIGHT, message + left, right)
}

/** target ^= hash(source), in both lanes, where the mask is set. */
function mix(target: usize, mask: usize, source: usize, length: u64, digest: u64, name: u64): void {
  memory.fill(MESSAGE + 64, 0, 192)
  for (let i: usize = 0; i < 32; i += 8) {
    store<u64>(MESSAGE + 2 * i, load<u64>(LANES + source + i))
    store<u64>(MESSAGE + 2 * i, load<u64>(LANES + 64 + source + i), 8)
  }
  store<u64>(PARAMETERS, SEQUENTIAL | digest)
  store<u64>(PARAMETERS, NAME, 48)
  store<u64>(PARAMETERS, name, 56)
  initHash(PARAMETERS)
  compress(length, true)
  for (let i: usize = 0; i < 32; i += 8) {
    const counted = load<u64>(mask + i)
    const lane0 = LANES + target + i
    const lane1 = LANES + 64 + target + i
    store<u64>(lane0, load<u64>(lane0) ^ (load<u64>(HASH + 2 * i) & counted))
    store<u64>(lane1, load<u64>(lane1) ^ (load<u64>(HASH + 2 * i, 8) & counted))
  }
}
