/**
 * Decodes messages of the light-client protocol to domain types, in slices: between two of them the event loop runs. What a
 * block or a transaction may contain is bounded before an object is made of it.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { Block, CompactAction, CompactTransaction } from '../../domain/chain/chain.ts'
import type { ServerTip } from '../../ports/chain.ts'

/** The server's response is invalid. A retry of the same call would not help. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

const HASH_BYTES = 32
const COMPACT_CIPHERTEXT_BYTES = 52
const MAX_HEIGHT = 2n ** 32n - 1n

/** Consensus limit of a block, and of a transaction. */
const MAX_BLOCK_BYTES = 2_000_000
/**
 * The least bytes of a block that each of these needs (protocol specification, 7.1 to 7.5): a transparent transaction, a
 * Sapling spend (96, proof 192, signature 64), a Sapling output (756, proof 192), an action (820, signature 64, proof 2,272).
 */
const LEAST_BYTES = { transaction: 60, spend: 352, output: 948, action: 3_156 } as const
/** The smallest part of a block is a transparent output of 9 bytes. */
const MAX_FIELDS = MAX_BLOCK_BYTES / 8
/** A slice takes less than a millisecond. */
const FIELDS_PER_SLICE = 500

/** Counts what a message contains, and refuses what no block of 2 MB can contain. */
class Budget {
  #bytes = 0
  #fields = 0

  take(part: keyof typeof LEAST_BYTES): void {
    this.#bytes += LEAST_BYTES[part]
    if (this.#bytes > MAX_BLOCK_BYTES) throw new InvalidResponse('more content than a block of 2 MB can have')
  }

  /** Returns whether a slice ends here. */
  field(): boolean {
    this.#fields += 1
    if (this.#fields > MAX_FIELDS) throw new InvalidResponse('more fields than a block of 2 MB can have')
    return this.#fields % FIELDS_PER_SLICE === 0
  }
}

/** Decodes step by step: yields after each slice. */
type Steps<T> = Generator<void, T>

/** @throws InvalidResponse */
export async function decodeBlock(message: Uint8Array): Promise<Block> {
  return inSlices(blockSteps(message, new Budget()))
}

/** Null: a transaction without actions. @throws InvalidResponse */
export async function decodeTransaction(message: Uint8Array): Promise<CompactTransaction | null> {
  return (await inSlices(transactionSteps(message, new Budget()))).transaction
}

/** @throws InvalidResponse */
export function decodeTip({ height, hash }: { readonly height: bigint; readonly hash: Uint8Array }): ServerTip {
  return { height: decodeHeight(height), hash: hash.length === HASH_BYTES ? displayHex('block hash', hash) : null }
}

/** @throws InvalidResponse */
function decodeHeight(height: bigint): number {
  if (height > MAX_HEIGHT) throw new InvalidResponse('block height out of range')
  return Number(height)
}

async function inSlices<T>(steps: Steps<T>): Promise<T> {
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await yieldToEventLoop()
    }
  } catch (error) {
    if (error instanceof InvalidResponse) throw error
    throw new InvalidResponse('not a message of the light-client protocol', { cause: error })
  }
}

/** Calls `read` with each field of a message. It returns false for a field that is to be skipped. */
function* fields(
  message: Uint8Array,
  budget: Budget,
  read: (reader: BinaryReader, field: number, type: WireType) => boolean | Steps<void>,
): Steps<void> {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (budget.field()) yield
    const known = read(reader, field, type)
    if (known === false) reader.skip(type, field)
    else if (known !== true) yield* known
  }
}

const EMPTY = new Uint8Array(0)
const isBytes = (type: WireType) => type === WireType.LengthDelimited
const isNumber = (type: WireType) => type === WireType.Varint

function* blockSteps(message: Uint8Array, budget: Budget): Steps<Block> {
  let height = 0n
  let time = 0
  let hash: Uint8Array = EMPTY
  let prevHash: Uint8Array = EMPTY
  let treeSizes: Block['treeSizes'] | null = null
  const transactions: CompactTransaction[] = []
  const counts = { sapling: 0, orchard: 0, ironwood: 0 }
  yield* fields(message, budget, (reader, field, type) => {
    if (field === 2 && isNumber(type)) height = BigInt(reader.uint64())
    else if (field === 3 && isBytes(type)) hash = reader.bytes()
    else if (field === 4 && isBytes(type)) prevHash = reader.bytes()
    else if (field === 5 && isNumber(type)) time = reader.uint32()
    else if (field === 7 && isBytes(type)) return transactionOf(reader.bytes())
    else if (field === 8 && isBytes(type)) return metadataOf(reader.bytes())
    else return false
    return true
  })
  function* transactionOf(bytes: Uint8Array): Steps<void> {
    const { saplingOutputs, transaction } = yield* transactionSteps(bytes, budget)
    counts.sapling += saplingOutputs
    if (!transaction) return
    counts.orchard += transaction.orchard.length
    counts.ironwood += transaction.ironwood.length
    transactions.push(transaction)
  }
  function* metadataOf(bytes: Uint8Array): Steps<void> {
    const sizes = [0, 0, 0, 0]
    yield* fields(bytes, budget, (reader, field, type) => {
      if (!isNumber(type) || field < 1 || field > 3) return false
      sizes[field] = reader.uint32()
      return true
    })
    treeSizes = { sapling: sizes[1]!, orchard: sizes[2]!, ironwood: sizes[3]! }
  }
  if (!treeSizes) throw new InvalidResponse('block without note commitment tree sizes')
  return {
    height: decodeHeight(height),
    hash: displayHex('block hash', hash),
    prevHash: displayHex('previous block hash', prevHash),
    time,
    treeSizes,
    outputCounts: counts,
    transactions,
  }
}

interface DecodedTransaction {
  readonly saplingOutputs: number
  /** Null: it has no actions. A block can have thousands of these, and no payment is in them. */
  readonly transaction: CompactTransaction | null
}

function* transactionSteps(message: Uint8Array, budget: Budget): Steps<DecodedTransaction> {
  budget.take('transaction')
  let txid: Uint8Array = EMPTY
  let saplingOutputs = 0
  const orchard: CompactAction[] = []
  const ironwood: CompactAction[] = []
  yield* fields(message, budget, (reader, field, type) => {
    if (!isBytes(type)) return false
    if (field === 2) txid = reader.bytes()
    else if (field === 6 || field === 9) {
      budget.take('action')
      return actionOf(reader.bytes(), field === 6 ? orchard : ironwood)
    } else {
      if (field === 4) budget.take('spend')
      if (field === 5) {
        budget.take('output')
        saplingOutputs += 1
      }
      return false
    }
    return true
  })
  function* actionOf(bytes: Uint8Array, actions: CompactAction[]): Steps<void> {
    const parts: Uint8Array[] = [EMPTY, EMPTY, EMPTY, EMPTY, EMPTY]
    yield* fields(bytes, budget, (reader, field, type) => {
      if (!isBytes(type) || field < 1 || field > 4) return false
      parts[field] = reader.bytes()
      return true
    })
    actions.push({
      nullifier: fixed('nullifier', parts[1]!, HASH_BYTES),
      cmx: fixed('cmx', parts[2]!, HASH_BYTES),
      ephemeralKey: fixed('ephemeral key', parts[3]!, HASH_BYTES),
      ciphertext: fixed('ciphertext', parts[4]!, COMPACT_CIPHERTEXT_BYTES),
    })
  }
  expectLength('txid', txid, HASH_BYTES)
  if (orchard.length + ironwood.length === 0) return { saplingOutputs, transaction: null }
  return { saplingOutputs, transaction: { txid: displayHex('txid', txid), orchard, ironwood } }
}

/** A copy, because a view would keep its whole message in memory. */
function fixed(field: string, bytes: Uint8Array, length: number): Uint8Array {
  expectLength(field, bytes, length)
  return new Uint8Array(bytes)
}

/** The protocol sends hashes in internal (little-endian) byte order. */
function displayHex(field: string, bytes: Uint8Array): string {
  expectLength(field, bytes, HASH_BYTES)
  return Buffer.from(bytes).reverse().toString('hex')
}

function expectLength(field: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new InvalidResponse(`${field} has ${bytes.length} bytes, expected ${length}`)
}
