/**
 * Listens on the given PostgreSQL database: prints `ready`, then a line for each notification. Sends a notification for
 * each line it reads.
 */
import { createInterface } from 'node:readline'
import { openStore } from '../../../src/store/open.ts'

const store = await openStore(process.argv[2] ?? '')
store.listen('swaps', () => process.stdout.write('notified\n'))
process.stdout.write('ready\n')
for await (const _ of createInterface({ input: process.stdin })) {
  await store.write(async tx => tx.notify('swaps'))
}
await store.close()
