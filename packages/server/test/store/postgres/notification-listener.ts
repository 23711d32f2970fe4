/** Listens on the PostgreSQL database named: prints `ready`, and a line for each wake; writes one on each line it reads. */
import { createInterface } from 'node:readline'
import { openStore } from '../../../src/store/open.ts'

const store = await openStore(process.argv[2] ?? '')
store.listen('swaps', () => process.stdout.write('woken\n'))
process.stdout.write('ready\n')
for await (const _ of createInterface({ input: process.stdin })) {
  await store.write(async rows => rows.wake('swaps'))
}
await store.close()
