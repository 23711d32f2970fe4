import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedBlock, Recording } from '../../../zcash/test/recording.ts'
import type { Branch } from './recorded-node.ts'
import { startZebra, type Zebra, ZebraRpcError } from './zebra.ts'

/** Generous for a busy machine: zebrad verifies the proofs of a block in some milliseconds. */
const LIMIT_MS = 60_000
const POLL_MS = 20

/** A zebrad that is fed with the recorded chain, which it verifies. It starts at height 0. */
export interface RecordedZebra extends Zebra {
  /** Submits the blocks of the branch (default `main`) up to this height. A branch replaces the other one when it is longer. */
  setTip(height: number, branch?: Branch): Promise<void>
  /** Sends these transactions to its mempool, except those that are mined. zebrad keeps what its mempool has. */
  setMempool(txids: readonly string[]): Promise<void>
}

/** Starts zebrad with the activation heights of the recording. */
export async function startRecordedZebra(recording: Recording): Promise<RecordedZebra> {
  const zebra = await startZebra(recording.activation_heights)
  const raw = new Map(recording.transactions.map(transaction => [transaction.txid, transaction.raw]))
  /** The hashes of the blocks that the running process has. */
  const known = new Set<string>()
  let chain: readonly RecordedBlock[] = recording.blocks.slice(0, 1)

  /** @throws after a minute, with what is missing and the end of the log */
  async function until(check: () => Promise<string | null>): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    for (;;) {
      const problem = await check()
      if (problem === null) return
      if (performance.now() > deadline) throw new Error(`${problem} after ${LIMIT_MS} ms\n${zebra.logTail()}`)
      await delay(POLL_MS)
    }
  }

  async function submit({ hash, height, raw: block }: RecordedBlock): Promise<void> {
    const problem = await zebra.rpc<string | null>('submitblock', block)
    // After a restart zebrad has what it saved of its blocks.
    if (problem !== null && problem !== 'duplicate')
      throw new Error(`zebrad calls block ${height} ${problem}\n${zebra.logTail()}`)
    known.add(hash)
  }

  return {
    ...zebra,
    async setTip(height: number, branch: Branch = 'main') {
      const fork = recording.branch_a[0]!.height
      const blocks = branch === 'a' ? [...recording.blocks.slice(0, fork), ...recording.branch_a] : recording.blocks
      chain = blocks.slice(0, height + 1)
      for (const block of chain.slice(1)) if (!known.has(block.hash)) await submit(block)
      const { hash } = chain.at(-1)!
      await until(async () => {
        const best = await zebra.rpc<string>('getbestblockhash')
        return best === hash ? null : `the newest block is ${best} instead of ${hash}`
      })
    },
    async setMempool(txids: readonly string[]) {
      const mined = new Set(chain.flatMap(block => block.txids))
      const wanted = txids.filter(txid => !mined.has(txid))
      await until(async () => {
        const present = await zebra.rpc<string[]>('getrawmempool')
        const [missing] = wanted.filter(txid => !present.includes(txid))
        if (missing === undefined) return null
        // The mempool follows a new block with a delay, and refuses what it is verifying already.
        const refused = await zebra.rpc('sendrawtransaction', raw.get(missing)).then(
          () => 'accepted',
          error => {
            if (error instanceof ZebraRpcError) return error.message
            throw error
          },
        )
        return `transaction ${missing} is not in the mempool (${refused})`
      })
    },
    async restart(options?: { readonly deleteState?: boolean }) {
      known.clear()
      await zebra.restart(options)
    },
  }
}
