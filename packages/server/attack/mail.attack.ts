import { count, printLine } from '../bench/report.ts'
import { signIn, startSlowMailbox } from './mailbox.ts'
import { fromClient, printFigure, withTarget } from './target.ts'

const CHANGES = 1_000
const AT_ONCE = 20
const MAX_SECS = 90

/** Sets a webhook many times, and then measures how long the code of a stranger takes. */
await using stack = new AsyncDisposableStack()
for (const [what, urlOf] of [
  ['the same URL', () => 'https://shop.example/hook'],
  ['alternating URLs', (i: number) => `https://shop${i % 2}.example/hook`],
] as const) {
  const mailbox = stack.adopt(await startSlowMailbox(), it => it.close())
  await withTarget(
    async target => {
      const put = async (i: number) => {
        const response = await fetch(`${target.url}/v1/account/webhook`, {
          method: 'PUT',
          headers: {
            ...fromClient(`192.0.2.${i % 100}`),
            authorization: `Bearer ${target.sessionToken}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ url: urlOf(i) }),
        })
        await response.arrayBuffer()
        return response.ok
      }
      let accepted = 0
      for (let from = 0; from < CHANGES; from += AT_ONCE) {
        const results = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => put(from + i)))
        accepted += results.filter(Boolean).length
      }
      const attack = `${count(accepted)} times PUT /v1/account/webhook with ${what}`
      const { secs } = await signIn(target, mailbox, { email: 'new@example.org', address: '192.0.2.201' }, MAX_SECS)
      printFigure(`${attack}: a stranger's sign-in`, secs, { below: 5 }, 's')
      printLine(`${attack}: ${count(mailbox.count())} mails sent meanwhile, codes included`)
    },
    { ROLES: 'api,delivery', SMTP_URL: mailbox.smtpUrl },
  )
}
