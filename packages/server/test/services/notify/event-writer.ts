/** Writes events of two accounts concurrently, and prints the name of each one once it is committed. Some are rolled back. */
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../harness/databases.ts'
import { NOW } from '../../harness/fixtures.ts'

const [url = '', name = '', ...accounts] = process.argv.slice(2)
const store = await openDatabase(url, { onError: () => {} })
const accountIds = accounts.map(Number)
let next = 0

async function writeForever(): Promise<never> {
  for (;;) {
    const number = ++next
    // In both orders, so that writers want the same two locks the other way round.
    const order = number % 2 === 0 ? accountIds : accountIds.toReversed()
    const isRolledBack = number % 5 === 0
    const event = `${name}.${number}`
    const body = JSON.stringify({ event, isRolledBack })
    await store
      .write(async tx => {
        for (const accountId of order)
          await tx.events.append([
            { accountId, invoiceId: null, type: 'test', body, createdAt: NOW, publicId: randomUUID() },
          ])
        tx.notify('events')
        if (isRolledBack) throw new Error('rolled back')
      })
      .then(
        // Waits for a slow reader, where writeSync would fail.
        () => new Promise(resolve => process.stdout.write(`${event}\n`, resolve)),
        (error: Error) => {
          if (error.message !== 'rolled back') throw error
        },
      )
  }
}

await Promise.all(Array.from({ length: 4 }, writeForever))
