/** A note scanner thread for tests. The `from` index of an address job selects a failure; 0 returns the job count. */
import { parentPort } from 'node:worker_threads'
import type { WorkerMessage, WorkerReply } from '../../../src/adapters/zcash/messages.ts'

let jobs = 0
const keys = new Set<number>()

parentPort!.on('message', (message: WorkerMessage) => {
  if (message.kind !== 'deriveAddresses') return scan(message)
  const error = Number(message.from)
  if (error === 1) throw new Error('crash')
  if (error === 2) process.exit(3)
  if (error === 3) for (;;);
  if (error === 4) return reply({ error: 'no good' })
  jobs += 1
  reply({ result: [`job ${jobs} of this thread`] })
})

/** Returns how many keys the job sent and how many the thread has. */
function scan(message: WorkerMessage): void {
  if (message.kind !== 'scan') return
  if (message.clearKeys) keys.clear()
  for (const { id } of message.newKeys) keys.add(id)
  const missing = message.keyIds.filter(id => !keys.has(id))
  if (missing.length > 0) reply({ error: `missing keys ${missing}` })
  else
    reply({
      result: [{ keyIndex: message.newKeys.length, actionIndex: 0, valueZat: BigInt(keys.size), diversifierIndex: 0n }],
    })
}

function reply(message: WorkerReply): void {
  parentPort!.postMessage(message)
}
