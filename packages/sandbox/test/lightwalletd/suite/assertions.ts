import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import type {
  CompactBlock,
  CompactOrchardAction,
  PoolType,
} from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { parseTransaction } from '@zatgate/zcash/transaction'
import type { ChainServer, ExpectedBlock, ServerUnderTest } from './server-under-test.ts'

const EVENTUALLY_MS = 12_000
const STEP_MS = 100
const ATTEMPTS = 5
/** The suite measures durations of 2 s, some with a tolerance of 600 ms. */
const MAX_OVERHEAD_MS = 500

/** Converts bytes in internal order to display order. */
export function display(bytes: Uint8Array): string {
  return Buffer.from(bytes.toReversed()).toString('hex')
}

export function internal(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex')).reverse()
}

export async function collect<T>(stream: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of stream) into.push(item)
  return into
}

/** Requests the blocks of a range; without `poolTypes`, with all shielded pools. */
export function blockRange(
  { client }: Pick<ChainServer, 'client'>,
  from: number,
  to: number,
  poolTypes: PoolType[] = [],
): AsyncIterable<CompactBlock> {
  return client.getBlockRange({ start: { height: BigInt(from) }, end: { height: BigInt(to) }, poolTypes })
}

export function heights(blocks: readonly CompactBlock[]): number[] {
  return blocks.map(({ height }) => Number(height))
}

export function treeSizes({ chainMetadata }: CompactBlock): ExpectedBlock['trees'] {
  const { saplingCommitmentTreeSize, orchardCommitmentTreeSize, ironwoodCommitmentTreeSize } = chainMetadata!
  return {
    sapling: saplingCommitmentTreeSize,
    orchard: orchardCommitmentTreeSize,
    ironwood: ironwoodCommitmentTreeSize,
  }
}

/** Asserts that these are the compact forms of the actions. */
export function assertCompactActions(
  compact: readonly CompactOrchardAction[],
  actions: ReturnType<typeof parseTransaction>['orchard'],
): void {
  assert.deepEqual(
    compact.map(({ nullifier, cmx, ephemeralKey, ciphertext }) => [nullifier, cmx, ephemeralKey, ciphertext]),
    actions.map(({ nullifier, cmx, ephemeralKey, encCiphertext }) => [
      nullifier,
      cmx,
      ephemeralKey,
      encCiphertext.subarray(0, 52),
    ]),
  )
}

/** Asserts that a call fails with this code and message. */
export async function failsWith(operation: Promise<unknown>, code: Code, message: RegExp): Promise<void> {
  await assert.rejects(operation, error => {
    const { code: actual, rawMessage } = ConnectError.from(error)
    assert.equal(Code[actual], Code[code], rawMessage)
    assert.match(rawMessage, message)
    return true
  })
}

/** Advances the time of the server until the check succeeds. Returns the elapsed milliseconds. */
export async function eventually(
  server: Pick<ServerUnderTest, 'pass'>,
  what: string,
  check: () => Promise<boolean> | boolean,
): Promise<number> {
  for (let passed = 0; passed <= EVENTUALLY_MS; passed += STEP_MS) {
    if (await check()) return passed
    await server.pass(STEP_MS)
  }
  throw new Error(`${what} did not happen within ${EVENTUALLY_MS} ms`)
}

/** The tolerance of a measured duration: 0 on a simulated clock, which advances in `pass` and `polled` only. */
export function tolerance({ overheadMs }: ServerUnderTest, ms: number): number {
  return overheadMs === 0 ? 0 : ms
}

/**
 * Retries an operation that failed while the machine was too busy for its measurements, because the clock of the real
 * server cannot be paused. The operation must set up its own state.
 */
export async function inTime(server: () => ServerUnderTest, operation: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = server().overheadMs
    try {
      return await operation()
    } catch (error) {
      if (attempt === ATTEMPTS || server().overheadMs - before < MAX_OVERHEAD_MS) throw error
    }
  }
}

/** Returns a `test` function that runs its body with `inTime`, each time after `prepare`. */
export function timedTests(
  server: () => ServerUnderTest,
  prepare: () => Promise<void>,
): (name: string, operation: () => Promise<void>) => void {
  return (name, operation) => {
    test(name, () =>
      inTime(server, async () => {
        await prepare()
        await operation()
      }),
    )
  }
}
