import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, printLine } from '../bench/report.ts'
import { fromClient, printReads, withTarget } from './target.ts'

const PER_SECOND = 500
const BATCH_MS = 20
const SECONDS = 10

/** Requests the checkout page of one invoice at a fixed rate from one address. */
await withTarget(async target => {
  const url = `${target.url}/i/${target.invoiceId}`
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  // The first page of a process takes some 55 ms, most of it for code that runs for the first time.
  await (await fetch(url)).arrayBuffer()
  let sent = 0
  let served = 0
  const load = async () => {
    sent++
    const [response] = await once(get(url, { agent, headers: fromClient('192.0.2.1') }), 'response')
    await once(response.resume(), 'end')
    if (response.statusCode === 200) served++
  }
  const harm = await target.harmOf(async () => {
    for (let batch = 0; batch < (SECONDS * 1000) / BATCH_MS; batch++) {
      for (let i = 0; i < (PER_SECOND * BATCH_MS) / 1000; i++) load().catch(() => {})
      await sleep(BATCH_MS)
    }
    agent.destroy()
  })
  printLine(`checkout pages for one address in ${SECONDS} s: ${count(sent)} requested, ${count(served)} served`)
  printReads(harm, 50)
})
