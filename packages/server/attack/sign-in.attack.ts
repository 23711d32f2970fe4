import { setTimeout as sleep } from 'node:timers/promises'
import { count, printLine } from '../bench/report.ts'
import { postForm, signIn, startSlowMailbox } from './mailbox.ts'
import { printFigure, withTarget } from './target.ts'

const ADDRESSES = 40
const POSTS_OF_ADDRESS = 100
const MAX_SECS = 20
const SETTLE_MS = 3_000
const OWNER = 'owner@example.org'
const OTHER = 'shop@example.org'

/** Spends the codes of one email and those that all emails share, and then measures who can still sign in. */
await using stack = new AsyncDisposableStack()
const mailbox = stack.adopt(await startSlowMailbox(), it => it.close())
await withTarget(
  async target => {
    const { cookie } = await signIn(target, mailbox, { email: OWNER, address: '192.0.2.201' }, MAX_SECS)
    for (let i = 0; i < 30; i++) await postForm(target, '/sign-in', `198.51.100.${i}`, { email: OWNER })
    // The owner must not mistake the codes of the strangers for his own.
    await sleep(SETTLE_MS)
    const owner = (address: string, cookie = '') => signIn(target, mailbox, { email: OWNER, address, cookie }, MAX_SECS)
    const known = await owner('192.0.2.201', cookie)
    printFigure('30 posts for one email: its owner in a known browser', known.secs, { below: 5 }, 's')
    const anew = await owner('192.0.2.202')
    const newBrowser = anew.secs > MAX_SECS ? `not within ${MAX_SECS} s` : `${anew.secs.toFixed(1)} s`
    printLine(`30 posts for one email: its owner in a new browser: ${newBrowser} (waits, by design)`)

    const startedMs = performance.now()
    const postAll = async (address: string) => {
      let accepted = 0
      for (let i = 0; i < POSTS_OF_ADDRESS; i++) {
        const { status } = await postForm(target, '/sign-in', address, { email: `${address}-${i}@example.org` })
        if (status === 303) accepted++
      }
      return accepted
    }
    const accepted = await Promise.all(Array.from({ length: ADDRESSES }, (_, i) => postAll(`203.0.113.${i}`)))
    const total = accepted.reduce((sum, one) => sum + one)
    const secs = (performance.now() - startedMs) / 1000
    const attack = `${count(total)} posts accepted of ${ADDRESSES} addresses in ${secs.toFixed(1)} s`
    const later = await owner('192.0.2.201', known.cookie || cookie)
    printFigure(`${attack}: a known browser`, later.secs, { below: 5 }, 's')
    const other = await signIn(target, mailbox, { email: OTHER, address: '192.0.2.203' }, MAX_SECS)
    printFigure(`${attack}: another account in a new browser`, other.secs, { below: 5 }, 's')
  },
  { ROLES: 'api,delivery', SMTP_URL: mailbox.smtpUrl },
)
