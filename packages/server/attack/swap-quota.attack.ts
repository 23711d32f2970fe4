import { Chain } from '@zatgate/sandbox/chain/chain'
import { Wallet } from '@zatgate/sandbox/chain/wallet'
import { OneClick } from '@zatgate/sandbox/oneclick/oneclick'
import { OneClickServer } from '@zatgate/sandbox/oneclick/server'
import { printLine } from '../bench/report.ts'
import { systemClock } from '../src/adapters/system/clock.ts'
import { delayBesideAbandoned } from '../test/harness/abandoned-swaps.ts'
import { scopeOf } from '../test/harness/container.ts'
import { fromClient, printFigure, printReads, withTarget } from './target.ts'

const STARTS = 200
const ASSET = 'nep141:btc.omft.near'

/**
 * Starts swaps with one invoice id from many addresses, and counts the requests that reach the provider. Then polls a new
 * swap beside abandoned ones, on a manual clock.
 */
const chain = new Chain({ seed: new Uint8Array(32).fill(5), clock: systemClock })
const oneclick = new OneClick({ wallet: new Wallet(chain), seed: chain.seed, clock: systemClock })
const server = await OneClickServer.start(oneclick, { clock: systemClock })
const requests = (path: string) => server.requests.filter(({ url }) => url.startsWith(path)).length
for (const [what, refundTo] of [
  ['refused by the provider', 'invalid'],
  ['accepted', 'an-address'],
] as const) {
  const quotes = requests('/v0/quote')
  const polls = requests('/v0/status')
  await withTarget(
    async target => {
      const statuses = new Map<number, number>()
      const harm = await target.harmOf(async () => {
        for (let i = 0; i < STARTS; i++) {
          const response = await fetch(`${target.url}/v1/invoices/${target.invoiceId}/swap`, {
            method: 'POST',
            headers: { ...fromClient(`198.51.100.${i}`), 'content-type': 'application/json' },
            body: JSON.stringify({ asset_id: ASSET, refund_to: refundTo }),
          })
          await response.arrayBuffer()
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        }
      })
      printLine(`${STARTS} starts of swaps with one invoice id, ${what}: ${JSON.stringify([...statuses])}`)
      printFigure('quotes requested from the provider', requests('/v0/quote') - quotes, { below: 6 })
      printFigure('statuses requested from the provider', requests('/v0/status') - polls, { below: 6 })
      printReads(harm, 50)
    },
    { SWAP_API_URL: server.url, SWAP_SIGNING_KEY: oneclick.signingKey },
  )
}
await server.close()
chain.close()

await using stack = new AsyncDisposableStack()
for (const abandoned of [0, 1_500]) {
  const delayMs = await delayBesideAbandoned(scopeOf(stack), abandoned)
  printFigure(
    `a new swap beside ${abandoned} abandoned ones is polled late by at most`,
    delayMs,
    { below: 2_000 },
    'ms',
  )
}
