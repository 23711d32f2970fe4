import { equalBytes } from '@noble/curves/utils.js'
import { KernelError } from '../errors.ts'
import type { Network } from '../network.ts'
import {
  type CompactAction,
  checkCompactLengths,
  type DecryptedAction,
  sharedSecrets,
  tryDecryptCompactActions,
  verifyPlaintext,
} from '../note.ts'
import { decodeCompactPlaintext, decryptCompact, LEAD_BYTES } from '../note-cipher.ts'
import { ephemeralSecretKey } from '../note-secrets.ts'
import type { ShieldedPool } from '../shielded-pool.ts'
import type { IncomingViewingKey } from '../viewing-key.ts'
import { createPairs, INPUT_ITEM, Machine, toDigits } from './machine.ts'
import { methodFor } from './method.ts'
import { KeyPreparation, type PreparedKeys } from './prepared-keys.ts'
import { deriveReceivers, encodeAddresses } from './receivers.ts'
import { recode } from './recode.ts'

/** The WebAssembly kernel. Plain TypeScript does the same, see {@link tryDecryptCompactActions}. */
export interface Kernel {
  /**
   * Trial decryption of each compact action with each key: finds what the plain {@link tryDecryptCompactActions} finds.
   * Fast if `keys` holds the same objects as in the previous call.
   * @throws ZcashError `wrong_length` if a field of an action has the wrong length
   * @throws KernelError if it finds an error in its own results: the caller takes the plain path
   */
  tryDecryptCompactActions(
    keys: readonly IncomingViewingKey[],
    pool: ShieldedPool,
    actions: readonly CompactAction[],
  ): DecryptedAction[]
  /**
   * The Orchard receivers (43 bytes) at `count` diversifier indexes from `first` on: what the plain `orchardReceiver` gives.
   * @throws ZcashError `out_of_range` for indexes below 0 or above 2^88 − 1
   * @throws KernelError if it finds an error in its own results: the caller takes the plain path
   */
  orchardReceivers(key: IncomingViewingKey, first: bigint, count: number): Uint8Array[]
  /**
   * The unified addresses of Orchard receivers: what the plain `encodeAddress` gives for each.
   * @throws ZcashError `wrong_length`
   */
  encodeAddresses(network: Network, receivers: readonly Uint8Array[]): string[]
  /** The size of its memory, which grows with the number of keys to a bound. */
  memoryBytes(): number
}

/** A pair whose plaintext has the right lead byte. */
interface Candidate {
  readonly keyIndex: number
  readonly actionIndex: number
  readonly plaintext: Uint8Array
}

/** Tables of this many bytes at most are in memory at a time, and those of this many points. */
const MAX_TABLE_BYTES = 32 * 2 ** 20
const MAX_TABLES = 512
/** Bytes of a candidate: the number of its pair (4) and its symmetric key (32). */
const CANDIDATE = 36

/**
 * Chooses which of `count` pairs of a batch is computed again by the plain path, and compared. Undefined: none of them.
 */
export type Sampler = (count: number) => number | undefined

/**
 * Creates a kernel from the bytes of `kernel.wasm`.
 * @throws Error if WebAssembly or the processor lacks what the kernel needs: the caller takes the plain path
 */
export function createKernel(wasm: Uint8Array, sample: Sampler = () => undefined): Kernel {
  const machine = new Machine(wasm)
  const pairs = createPairs(machine.at.MAX_PAIRS)
  const scalars = new KeyPreparation()

  function tryDecrypt(keys: readonly IncomingViewingKey[], pool: ShieldedPool, actions: readonly CompactAction[]) {
    for (const action of actions) checkCompactLengths(action)
    const prepared = scalars.prepare(keys)
    const candidates: Candidate[] = []
    for (let first = 0; first < actions.length; first += machine.at.MAX_POINTS) {
      const batch = actions.slice(first, first + machine.at.MAX_POINTS)
      // Not spread: the candidates of a large call are more than a call takes arguments.
      for (const candidate of findCandidates(keys, prepared, pool, batch, first)) candidates.push(candidate)
    }
    const found = verified(pool, keys, actions, candidates)
    if (prepared.irregular.length > 0) {
      const plainKeys = prepared.irregular.map(index => keys[index]!)
      for (const { keyIndex, actionIndex, note } of tryDecryptCompactActions(plainKeys, pool, actions)) {
        found.push({ keyIndex: prepared.irregular[keyIndex]!, actionIndex, note })
      }
    }
    return found.sort((x, y) => x.actionIndex - y.actionIndex || x.keyIndex - y.keyIndex)
  }

  function findCandidates(
    keys: readonly IncomingViewingKey[],
    prepared: PreparedKeys,
    pool: ShieldedPool,
    actions: readonly CompactAction[],
    from: number,
  ) {
    const candidates: Candidate[] = []
    const { digits, regular } = prepared
    if (digits === undefined) return candidates
    const input = machine.bytes(machine.at.INPUT, actions.length * INPUT_ITEM)
    for (const [i, { ephemeralKey, ciphertext }] of actions.entries()) {
      input.set(ephemeralKey, i * INPUT_ITEM)
      input[i * INPUT_ITEM + 32] = ciphertext[0]!
    }
    const valid = machine.decodePoints(actions.length)
    machine.useDigits(digits)
    const perTables = Math.min(MAX_TABLES, Math.max(1, Math.floor(MAX_TABLE_BYTES / Machine.tableBytes(digits.method))))
    for (let first = 0; first < valid.length; first += perTables) {
      const points = Math.min(perTables, valid.length - first)
      machine.buildTables(first, points)
      const total = points * regular.length
      for (let start = 0; start < total; start += machine.at.MAX_PAIRS) {
        const count = Math.min(machine.at.MAX_PAIRS, total - start)
        for (let n = 0; n < count; n++) {
          const point = Math.floor((start + n) / regular.length)
          pairs.points[n] = point
          pairs.scalars[n] = (start + n) % regular.length
          pairs.actions[n] = valid[first + point]!
        }
        machine.multiply(pairs, count)
        const sampled = sample(count)
        if (sampled !== undefined) {
          const [result] = machine.encodeResults(sampled, 1)
          const key = keys[regular[pairs.scalars[sampled]!]!]!
          const [expected] = sharedSecrets([key], actions[pairs.actions[sampled]!]!.ephemeralKey)
          if (!equalBytes(result!, expected!)) throw new KernelError('a product differs from that of the plain path')
        }
        for (const { pair, key } of readCandidates(machine, machine.run.findCandidates(count, LEAD_BYTES[pool]))) {
          const action = pairs.actions[pair]!
          const plaintext = decryptCompact(key, actions[action]!.ciphertext)
          candidates.push({ keyIndex: regular[pairs.scalars[pair]!]!, actionIndex: from + action, plaintext })
        }
      }
    }
    return candidates
  }

  /** The notes of candidates whose epk fits, which one in 256 wrong pairs gets to without being a note. */
  function verified(
    pool: ShieldedPool,
    keys: readonly IncomingViewingKey[],
    actions: readonly CompactAction[],
    candidates: readonly Candidate[],
  ): DecryptedAction[] {
    const found: DecryptedAction[] = []
    const batch = machine.maxBases
    for (let first = 0; first < candidates.length; first += batch) {
      for (const { keyIndex, actionIndex, plaintext } of withRightEpk(
        pool,
        actions,
        candidates.slice(first, first + batch),
      )) {
        const note = verifyPlaintext(keys[keyIndex]!, pool, actions[actionIndex]!, plaintext)
        if (note !== undefined) found.push({ keyIndex, actionIndex, note })
      }
    }
    return found
  }

  /** The candidates with epk = [esk] g_d (protocol specification §4.20.2); those that the kernel cannot judge too. */
  function withRightEpk(pool: ShieldedPool, actions: readonly CompactAction[], candidates: readonly Candidate[]) {
    const method = methodFor(1)
    const right: Candidate[] = []
    const judged: { candidate: Candidate; d: Uint8Array; codes: Uint16Array }[] = []
    for (const candidate of candidates) {
      const parts = decodeCompactPlaintext(pool, candidate.plaintext)
      if (parts === undefined) continue
      const codes = recode(ephemeralSecretKey(parts.rseed, actions[candidate.actionIndex]!.nullifier), method)
      if (codes === undefined) right.push(candidate)
      else judged.push({ candidate, d: parts.d, codes })
    }
    if (judged.length === 0) return right
    const digits = toDigits(
      method,
      judged.map(({ codes }) => codes),
    )
    const bases = judged.map(({ d }) => d)
    for (const [i, epk] of machine.multiplyBases(bases, digits).entries()) {
      const { candidate } = judged[i]!
      const { ephemeralKey } = actions[candidate.actionIndex]!
      if (equalBytes(epk, ephemeralKey)) right.push(candidate)
    }
    return right
  }

  return {
    tryDecryptCompactActions: tryDecrypt,
    orchardReceivers: (key, first, count) => deriveReceivers(machine, key, first, count),
    encodeAddresses: (network, receivers) => encodeAddresses(machine, network, receivers),
    memoryBytes: () => machine.memoryBytes,
  }
}

/** The pairs that `findCandidates` has written, with their symmetric keys. */
function readCandidates(machine: Machine, count: number): { pair: number; key: Uint8Array }[] {
  const bytes = machine.bytes(machine.at.OUTPUT, count * CANDIDATE).slice()
  const view = new DataView(bytes.buffer)
  return Array.from({ length: count }, (_, i) => ({
    pair: view.getUint32(i * CANDIDATE, true),
    key: bytes.subarray(i * CANDIDATE + 4, (i + 1) * CANDIDATE),
  }))
}
