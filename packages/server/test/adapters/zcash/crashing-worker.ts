/** A viewer thread that crashes, hangs or fails, as the index of its job asks; else counts its jobs. */
import { parentPort } from 'node:worker_threads'
import type { Message, Reply } from '../../../src/adapters/zcash/messages.ts'

let jobs = 0
const known = new Set<number>()

parentPort!.on('message', (message: Message) => {
  if (message.kind !== 'addresses') return open(message)
  const order = Number(message.from)
  if (order === 1) throw new Error('crash')
  if (order === 2) process.exit(3)
  if (order === 3) for (;;);
  if (order === 4) return reply({ error: 'no good' })
  jobs += 1
  reply({ answer: [`job ${jobs} of this thread`] })
})

/** Tells which keys it was sent and which it had. */
function open(message: Message): void {
  if (message.kind !== 'open') return
  if (message.forget) known.clear()
  for (const { id } of message.newKeys) known.add(id)
  const missing = message.keyIds.filter(id => !known.has(id))
  if (missing.length > 0) reply({ error: `never got ${missing}` })
  else
    reply({
      answer: [
        { keyIndex: message.newKeys.length, actionIndex: 0, valueZat: BigInt(known.size), diversifierIndex: 0n },
      ],
    })
}

function reply(message: Reply): void {
  parentPort!.postMessage(message)
}
