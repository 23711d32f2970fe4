import { setTimeout as sleep } from 'node:timers/promises'
import { count, printLine } from '../bench/report.ts'
import { postForm, signIn, startSlowMailbox } from './mailbox.ts'
import { fromClient, printFigure, type Target, withTarget } from './target.ts'

const EMAIL = 'shop@example.org'
const CHANGES_MS = 55_000
const AT_ONCE = 10
const CHANGE_PAUSE_MS = 200
const FLOOD_MS = 8_000
const FLOOD_PAUSE_MS = 3
const REPAIRS = 20
const MAX_SECS = 20

/**
 * A thief has an old cookie of the shop: no code was entered in its session for longer than ten minutes. It makes as many
 * changes as it can and then requests pages all the time. The owner signs in with a code and repairs the account.
 */
await using stack = new AsyncDisposableStack()
const mailbox = stack.adopt(await startSlowMailbox(), it => it.close())
await withTarget(
  async target => {
    const thief = `__Host-zatgate=${target.sessionToken}`
    let accepted = 0
    const change = async (i: number) => {
      const form = { confirmations: String(i % 2) }
      const { status } = await postForm(target, '/confirmations', `198.51.100.${i % 200}`, form, thief)
      if (status === 303) accepted++
    }
    const startedMs = performance.now()
    for (let i = 0; performance.now() - startedMs < CHANGES_MS; i += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => change(i + j)))
      await sleep(CHANGE_PAUSE_MS)
    }
    printLine(`${count(accepted)} changes by an old cookie accepted in ${CHANGES_MS / 1000} s`)
    printFigure('confirmations of the shop afterwards', await confirmationsOf(target), { from: 3 })

    const { cookie, secs: signInSecs } = await signIn(
      target,
      mailbox,
      { email: EMAIL, address: '192.0.2.201' },
      MAX_SECS,
    )
    printFigure('the owner signs in with a code', signInSecs, { below: 5 }, 's')
    printFigure(`of ${REPAIRS} repairs by the owner refused`, await refusedRepairs(target, cookie), { below: 1 })

    let requests = 0
    const flood = new AbortController()
    const flooding = (async () => {
      const pending: Promise<unknown>[] = []
      while (!flood.signal.aborted) {
        const headers = { ...fromClient(`203.0.113.${requests++ % 200}`), cookie: thief }
        const page = fetch(`${target.url}/sessions`, { headers }).then(response => response.arrayBuffer())
        pending.push(page.catch(() => {}))
        await sleep(FLOOD_PAUSE_MS)
      }
      await Promise.all(pending)
    })()
    await sleep(FLOOD_MS)
    const refused = await refusedRepairs(target, cookie)
    flood.abort()
    await flooding
    printFigure(
      `of ${REPAIRS} repairs refused while the old cookie requests pages (${count(requests)} requests)`,
      refused,
      { below: 1 },
    )
  },
  { ROLES: 'api,delivery', SMTP_URL: mailbox.smtpUrl },
)

async function confirmationsOf({ url, sessionToken }: Target): Promise<number> {
  const headers = { ...fromClient('192.0.2.202'), authorization: `Bearer ${sessionToken}` }
  const response = await fetch(`${url}/v1/account`, { headers })
  return ((await response.json()) as { confirmations: number }).confirmations
}

/** Sets the confirmations and creates API keys in turn. @returns how many were refused */
async function refusedRepairs(target: Target, cookie: string): Promise<number> {
  let refused = 0
  for (let i = 0; i < REPAIRS; i++) {
    const [path, form, done] =
      i % 2 === 0
        ? (['/confirmations', { confirmations: String(3 + (i % 4)) }, 303] as const)
        : (['/api-keys', { name: `repair ${i}` }, 200] as const)
    const { status } = await postForm(target, path, '192.0.2.201', form, cookie)
    if (status !== done) refused++
  }
  return refused
}
