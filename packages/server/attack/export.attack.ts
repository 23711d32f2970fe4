import { setTimeout as sleep } from 'node:timers/promises'
import { count, printLine } from '../bench/report.ts'
import { addInvoices } from './many-invoices.ts'
import { fromClient, printFigure, printReads, type Target, withTarget } from './target.ts'

const INVOICES = 300_000
const AT_ONCE = 3

/** One account exports all of its invoices, several times at once, and asks for them without reading them. */
await withTarget(
  async target => {
    const { url, sessionToken } = target
    for (const format of ['csv', 'json']) {
      let refused = 0
      let lines = 0
      const startedMs = performance.now()
      const harm = await target.harmOf(async () => {
        const exports = Array.from({ length: AT_ONCE }, () => download(target, format))
        for (const { status, newlines } of await Promise.all(exports)) {
          if (status === 200) lines = newlines
          else refused++
        }
      })
      const secs = ((performance.now() - startedMs) / 1000).toFixed(0)
      printLine(`${format} export of ${count(lines)} lines in ${secs} s`)
      printFigure(`${AT_ONCE} exports of one account at once: refused`, refused, { from: AT_ONCE - 1 })
      printReads(harm, 50)
    }
    const cookie = `__Host-zatgate=${sessionToken}`
    for (const [what, path, init] of [
      ['HEAD of the API', '/v1/account/export?format=csv', { method: 'HEAD', headers: bearer(sessionToken) }],
      ['HEAD of the dashboard', '/export/download?format=csv', { method: 'HEAD', headers: { cookie } }],
      ['a GET of the dashboard from another site', '/export/download', { headers: { cookie } }],
    ] as const) {
      const harm = await target.harmOf(async () => {
        const { status, body } = await fetch(url + path, init)
        await body?.cancel()
        printFigure(`${what}: status`, status, { from: 400 })
        await sleep(5_000)
      })
      printReads(harm, 50)
    }
  },
  {},
  shop => addInvoices(shop, INVOICES),
)

async function download({ url, sessionToken }: Target, format: string): Promise<{ status: number; newlines: number }> {
  const response = await fetch(`${url}/v1/account/export?format=${format}`, { headers: bearer(sessionToken) })
  let newlines = 0
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === 10) newlines++
  return { status: response.status, newlines }
}

function bearer(token: string) {
  return { ...fromClient('192.0.2.1'), authorization: `Bearer ${token}` }
}
