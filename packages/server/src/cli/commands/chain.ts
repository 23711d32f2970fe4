import type { Config } from '../../config/settings.ts'
import type { Block } from '../../domain/chain.ts'
import { createServices, openWatch, openWorld } from '../../main.ts'
import type { Chain } from '../../ports.ts'
import type { Headers } from '../../services/chain-rewind.ts'
import { type Command, needed, readArguments, WrongUse } from '../command.ts'

const PATIENCE_MS = 60_000

/**
 * The way out of a reorganisation deeper than the recorded chain: the watcher follows none that deep by itself, since a
 * server on a wrong chain looks the same. Without `--block` it shows what would happen and changes nothing.
 */
export const chainAccept: Command = {
  name: 'chain accept',
  usage: 'chain accept --from HEIGHT [--block HASH]',
  summary: 'has the recorded chain go on from a block of the server, after a reorganisation too deep to be followed',
  async run(args, { out, config }) {
    const { values } = readArguments(args, ['from', 'block'], 0)
    const text = needed(values.from, '--from')
    if (!/^\d{1,10}$/.test(text)) throw new WrongUse('--from is a height')
    const hash = values.block?.toLowerCase()
    if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) throw new WrongUse('--block is a block hash, 64 hex digits')
    const settings = config()
    if (settings.sandbox) throw new Error('this needs NETWORK and LIGHTWALLETD_URL')
    const { base, affected, accepted } = await accept(settings, Number(text), hash)
    const { payments, paidInvoices } = affected
    const effect = `${payments} payments above it (in ${paidInvoices} paid invoices)`
    out.result(
      { from: base.height, block: base.hash, payments, paid_invoices: paidInvoices, accepted },
      accepted
        ? [
            `The recorded chain goes on from block ${base.height}.`,
            `${effect} count as unmined until they are read again.`,
            `Start the watcher. When it has caught up, run: zatgate rescan --from ${base.height}`,
          ]
        : [
            `The server has block ${base.height} with the hash ${base.hash}.`,
            `${effect} would count as unmined until they are read again.`,
            'Compare the hash with a block explorer that you trust. Choose a height below the fork.',
            `To go on from it, stop the service and run: zatgate chain accept --from ${base.height} --block ${base.hash}`,
          ],
    )
    return 0
  },
}

async function accept(config: Config, from: number, hash: string | undefined) {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({ ...config, logLevel: 'warn' }, {}, stack)
  const { reassess } = await createServices(world)
  const { chain, headers } = openWatch(world, reassess)
  const base = await serverBlock(chain, from)
  if (await sharesABlock(chain, headers))
    throw new Error('the recorded chain and the server’s share a block: the watcher follows the server by itself')
  const affected = await world.store.read(rows => rows.payments.countAbove(from))
  if (hash === undefined) return { base, affected, accepted: false }
  if (hash !== base.hash) throw new Error(`the server’s block ${from} is ${base.hash}, not the one given by --block`)
  await headers.accept(base)
  return { base, affected, accepted: true }
}

async function serverBlock(chain: Chain, height: number): Promise<Block> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const tip = await chain.tip(signal)
  if (height > tip) throw new RangeError(`the height must be 0 to ${tip}, the server’s last block`)
  for await (const block of chain.blocks(height, height, signal)) return block
  throw new Error(`the server does not give its block ${height}`)
}

/** The oldest block remembered is the one that two chains share if they share any. */
async function sharesABlock(chain: Chain, headers: Headers): Promise<boolean> {
  const position = await headers.position()
  if (!position) return false
  const ours = await headers.headerAt(position.oldest)
  for await (const theirs of chain.blocks(position.oldest, position.oldest, AbortSignal.timeout(PATIENCE_MS)))
    return theirs.hash === ours?.hash
  return false
}
