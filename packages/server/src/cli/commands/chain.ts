import type { Container } from '../../container.ts'
import type { Block } from '../../domain/chain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import type { RecordedChain } from '../../services/chain/recorded-chain.ts'
import type { Context } from '../context.ts'
import { withChain } from '../services.ts'

const REQUEST_TIMEOUT_MS = 60_000

/**
 * Recovers from a reorganisation deeper than the recorded chain. The watcher does not follow one by itself, because it
 * cannot tell one from a server on a wrong chain. Without `block`, the hash, the command is a dry run.
 */
export async function acceptServerChain(
  { from, block }: { readonly from: number; readonly block: string | undefined },
  context: Context,
): Promise<void> {
  const { base, affected, accepted } = await withChain(context, 'chain accept', container =>
    acceptChain(container, from, block),
  )
  const { payments, paidInvoices } = affected
  const effect = `${payments} payments above it (${paidInvoices} paid invoices)`
  context.out.result(
    { from: base.height, block: base.hash, payments, paid_invoices: paidInvoices, accepted },
    accepted
      ? [
          `The recorded chain continues from block ${base.height}.`,
          `${effect} count as unmined until their blocks are read again.`,
          `Start the watcher. When it has caught up, run: zatgate rescan --from ${base.height}`,
        ]
      : [
          `The server has block ${base.height} with the hash ${base.hash}.`,
          `${effect} would count as unmined until their blocks are read again.`,
          'Compare the hash with a block explorer you trust. The height must be below the fork.',
          `To continue from this block, stop the service and run: zatgate chain accept --from ${base.height} --block ${base.hash}`,
        ],
  )
}

/**
 * Continues the recorded chain from the server's block at a height. Without `hash`, the hash of that block, nothing is
 * changed. The service must not run.
 */
export async function acceptChain({ infrastructure, services }: Container, from: number, hash?: string) {
  const { chain, store } = infrastructure
  const { recordedChain } = services
  const base = await serverBlock(chain, from)
  if (await sharesABlock(chain, recordedChain))
    throw new Error(
      'the recorded chain shares a block with the server’s chain: the watcher follows the server by itself',
    )
  const affected = await store.read(tx => tx.payments.countAbove(from))
  if (hash === undefined) return { base, affected, accepted: false }
  if (hash !== base.hash) throw new Error(`the server’s block ${from} is ${base.hash}, which differs from --block`)
  await recordedChain.restartAt(base)
  return { base, affected, accepted: true }
}

async function serverBlock(chain: Chain, height: number): Promise<Block> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const tip = await chain.tip(signal)
  if (height > tip.height) throw new RangeError(`--from must be 0 to ${tip.height}, the server’s newest block`)
  for await (const block of chain.blocks(height, height, signal)) return block
  throw new Error(`the server did not return block ${height}`)
}

/** Compares only the oldest recorded block: if the chains share any block, they share that one. */
async function sharesABlock(chain: Chain, recordedChain: RecordedChain): Promise<boolean> {
  const position = await recordedChain.position()
  if (!position) return false
  const ours = await recordedChain.headerAt(position.oldest)
  for await (const theirs of chain.blocks(position.oldest, position.oldest, AbortSignal.timeout(REQUEST_TIMEOUT_MS)))
    return theirs.hash === ours?.hash
  return false
}
