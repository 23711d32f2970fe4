/** Writes events concurrently to the given SQLite file and prints the number of each acknowledged one. */
import { randomUUID } from 'node:crypto'
import { openStore } from '../../../src/store/open.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'

const [path = '', from = '0'] = process.argv.slice(2)
const store = await openStore(`sqlite:${path}`)
const account = await makeAccount(store)
let next = Number(from)

async function writeForever(): Promise<never> {
  for (;;) {
    const number = ++next
    await store.write(async tx => {
      await tx.usage.increment(account.id, '2026-11', null)
      const event = { accountId: account.id, invoiceId: null, type: 'test', body: '{}' } as const
      await tx.events.append([{ ...event, createdAt: NOW + number, publicId: randomUUID() }])
    })
    // Waits for a slow reader, where writeSync would fail.
    await new Promise(resolve => process.stdout.write(`${number} ${account.id}\n`, resolve))
  }
}

await Promise.all(Array.from({ length: 16 }, writeForever))
