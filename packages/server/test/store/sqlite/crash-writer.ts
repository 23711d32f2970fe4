/** Writes events to the SQLite file named, many at a time, and prints the number of each once it is acknowledged. */
import { writeSync } from 'node:fs'
import { openStore } from '../../../src/store/open.ts'
import { makeAccount, NOW } from '../fixtures.ts'

const [path = '', from = '0'] = process.argv.slice(2)
const store = await openStore(`sqlite:${path}`)
const account = await makeAccount(store)
let next = Number(from)

async function writeForEver(): Promise<never> {
  for (;;) {
    const number = ++next
    await store.write(async rows => {
      await rows.usage.take(account.id, '2026-11', null)
      await rows.events.append([
        { accountId: account.id, invoiceId: null, type: 'test', body: null, createdAt: NOW + number },
      ])
    })
    writeSync(1, `${number} ${account.id}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, writeForEver))
