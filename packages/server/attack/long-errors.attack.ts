import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { count } from '../bench/report.ts'
import { postForm } from './mailbox.ts'
import { printFigure, printReads, withTarget } from './target.ts'

const MAILS = 5
const CHARS = 120_000
const WAIT_MS = 5_000

/** A mail server refuses every recipient with a text that begins a secret again and again. */
for (const part of ['zxview', 'secret-', '0123abcd-0123-', '://a:b']) {
  const refusal = part.repeat(CHARS / part.length)
  const server = createServer(socket => {
    socket.on('error', () => {}).write('220 mail.example\r\n')
    socket.on('data', data => {
      const isRecipient = data.toString('latin1').startsWith('RCPT')
      socket.write(isRecipient ? `550 ${refusal}\r\n` : '250 ok\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const env = {
    ROLES: 'api,delivery',
    LOG_LEVEL: 'warn',
    SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  await withTarget(async target => {
    const harm = await target.harmOf(async () => {
      for (let i = 0; i < MAILS; i++)
        await postForm(target, '/sign-in', `192.0.2.${i + 1}`, { email: `buyer${i}@example.org` })
      await sleep(WAIT_MS)
    })
    const what = `the longest silence while mails are refused with ${count(CHARS)} characters of ${part}`
    printFigure(what, harm.reads.maxMs, { below: 50 }, 'ms')
    printReads(harm, 50)
  }, env)
  server.close()
}
