import { setTimeout as sleep } from 'node:timers/promises'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import { count, printLine } from '../bench/report.ts'
import { addInvoices } from './many-invoices.ts'
import { type FilledShop, fromClient, printReads, withTarget } from './target.ts'

const INVOICES = 300_000
const KEYS = 1_000
/** The rate that an account may request pages at. */
const PER_SECOND = 20
const SECONDS = 10

/** One account with many open invoices and many viewing keys looks at its dashboard. */
await withTarget(
  async target => {
    const invoice = await fetch(`${target.url}/v1/invoices/${target.invoiceId}`)
    const { address } = (await invoice.json()) as { address: string }
    const headers = { ...fromClient('192.0.2.1'), cookie: `__Host-zatgate=${target.sessionToken}` }
    for (const [what, path] of [
      ['the overview', '/overview'],
      ['a list by status', '/invoices?status=paid'],
      ['a search for an address', `/invoices?q=${address}`],
      ['a search for an id', '/invoices?q=00000000-0000-4000-8000-0000000'],
      ['a search for question marks', `/invoices?q=${'?'.repeat(12_000)}%0A`],
    ] as const) {
      let sent = 0
      let served = 0
      const harm = await target.harmOf(async () => {
        const views: Promise<void>[] = []
        for (; sent < PER_SECOND * SECONDS; sent++) {
          const view = fetch(target.url + path, { headers, signal: AbortSignal.timeout(20_000) })
          views.push(
            view.then(
              async response => {
                await response.arrayBuffer()
                if (response.status === 200) served++
              },
              () => {},
            ),
          )
          await sleep(1_000 / PER_SECOND)
        }
        await Promise.all(views)
      })
      printLine(`${what} with ${count(INVOICES)} open invoices: ${count(sent)} requested, ${count(served)} served`)
      printReads(harm, 50)
    }
  },
  {},
  async shop => {
    addInvoices(shop, INVOICES)
    await addKeys(shop)
  },
)

/** The last key is the one of the invoice, which stays the current one. */
async function addKeys({ account, viewingKeys }: FilledShop): Promise<void> {
  for (let i = 0; i < KEYS; i++) {
    const key = deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(2), 1, i))
    await viewingKeys.setWithoutNotification(account, encodeFullViewingKey(key, 'regtest'))
  }
}
