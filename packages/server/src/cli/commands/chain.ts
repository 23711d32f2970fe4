import { type Container, openContainer } from '../../container.ts'
import type { Block } from '../../domain/chain.ts'
import type { Chain } from '../../ports/chain.ts'
import type { RecordedChain } from '../../services/recorded-chain.ts'
import type { Command } from '../command.ts'
import { withMigrationProgress } from '../migration.ts'
import { requireDatabase } from '../store.ts'
import { parseArguments, requireValue, UsageError } from '../usage.ts'

const REQUEST_TIMEOUT_MS = 60_000

/**
 * Recovers from a reorganisation deeper than the recorded chain. The watcher does not follow one by itself, because it
 * cannot tell one from a server on a wrong chain. Without `--block` the command is a dry run.
 */
export const chainAccept: Command = {
  name: 'chain accept',
  usage: 'chain accept --from HEIGHT [--block HASH]',
  summary: 'continues the recorded chain from a block of the server after a reorganisation too deep to follow',
  arguments: [
    ['--from HEIGHT', 'the first block that is taken from the server'],
    ['--block HASH', 'confirms the block at this height; without it, only the effects are shown'],
  ],
  example: 'chain accept --from 3042000',
  async run(args, { out, config }) {
    const { values } = parseArguments(args, ['from', 'block'], 0)
    const text = requireValue(values.from, '--from')
    if (!/^\d{1,10}$/.test(text)) throw new UsageError('--from must be a block height')
    const hash = values.block?.toLowerCase()
    if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash))
      throw new UsageError('--block must be a block hash of 64 hex digits')
    const settings = config()
    if (settings.sandbox) throw new Error('chain accept needs NETWORK and LIGHTWALLETD_URL')
    requireDatabase(settings)
    await using stack = new AsyncDisposableStack()
    const container = await withMigrationProgress(out, migration =>
      openContainer({ ...settings, logLevel: 'warn' }, { migration }, stack),
    )
    const { base, affected, accepted } = await acceptChain(container, Number(text), hash)
    const { payments, paidInvoices } = affected
    const effect = `${payments} payments above it (${paidInvoices} paid invoices)`
    out.result(
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
    return 0
  },
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
  if (height > tip) throw new RangeError(`--from must be 0 to ${tip}, the server’s newest block`)
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
