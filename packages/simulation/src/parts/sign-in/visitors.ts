import type { Services } from '@zatgate/server/container'
import type { Account } from '@zatgate/server/domain/account/account'
import { AppError } from '@zatgate/server/domain/error'
import type { Draw } from '../../runtime/draw.ts'
import { mailboxesOf } from '../../world/mailboxes.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'
import { CODE_LIFETIME_SECS, type Entry, type SignInJudge } from './judge.ts'

type SignedIn = Awaited<ReturnType<Services['sessions']['create']>> & { readonly account: Account }

/** A browser in which a code was requested. */
export interface Browser {
  readonly email: string
  /** Its cookie. For a signed-in session, derived from the session. */
  readonly secret: string
  readonly requestedMs: number
  /** Wrong codes that were answered. */
  wrong: number
  successes: number
}

/** A session that a visitor has. */
export interface Session {
  readonly email: string
  readonly signedIn: SignedIn
  /** Ends when the visitor begins to end it, and has ended for sure when that was answered. */
  state: 'open' | 'ending' | 'ended'
  /** The confirmation codes that were requested in it, as a browser. */
  confirming: Browser | null
}

/** People at browsers: they request codes, enter them, and end sessions. */
export class Visitors {
  readonly emails: readonly string[]
  browsers: Browser[] = []
  sessions: Session[] = []
  /** The cookie of a browser that signs in to all accounts. */
  #knownBrowser = ''
  readonly #world: World
  readonly #judge: SignInJudge

  constructor(world: World, judge: SignInJudge) {
    this.#world = world
    this.#judge = judge
    this.emails = ['merchant-1@example.org', 'visitor-1@example.org', 'visitor-2@example.org']
    // A backup may lack any code or session.
    world.onRestore(() => {
      this.browsers = []
      this.sessions = []
    })
  }

  /** Requests a code, waits for its mail and enters it. */
  async signIn(draw: Draw, email: string): Promise<void> {
    const mail = mailboxesOf(this.#world).next(email)
    await this.requestCode(draw, email)
    const browser = this.browsers.at(-1)
    await mail
    const code = this.codesOf(email).at(-1)
    if (browser?.email === email && code !== undefined) await this.enter(draw, browser, code)
  }

  async requestCode(draw: Draw, email: string): Promise<void> {
    const typed = draw.pick([email, ` ${email} `, email.toUpperCase()])
    const client = draw.pick(['192.0.2.1', '2001:db8::'])
    const known = draw.pick(['', this.#knownBrowser])
    const secret = await this.#call(draw, ({ signIn }) => signIn.requestCode(typed, client, known))
    if (typeof secret !== 'string') return
    this.browsers.push({ email, secret, requestedMs: this.#world.scheduler.nowMs, wrong: 0, successes: 0 })
  }

  /** The codes in the mailbox, oldest first. */
  codesOf(email: string, codeName: 'sign-in code' | 'confirmation code' = 'sign-in code'): string[] {
    return mailboxesOf(this.#world)
      .of(email)
      .flatMap(({ text }) => text.match(new RegExp(`${codeName} is (\\d{6}|\\d{10})$`, 'm'))?.[1] ?? [])
  }

  /** A code that no mail contains. */
  wrongCode(draw: Draw, email: string): string {
    const codes = new Set([...this.codesOf(email), ...this.codesOf(email, 'confirmation code')])
    for (;;) {
      const code = draw.int(0, 999_999).toString().padStart(6, '0')
      if (!codes.has(code)) return code
    }
  }

  async enter(draw: Draw, browser: Browser, code: string): Promise<void> {
    const { clockErrors, scheduler } = this.#world
    const entry = this.#entry('sign_in', browser, code)
    const typed = draw.pick([code, `${code.slice(0, 3)} ${code.slice(3)}`, `${code}\n`])
    const signedIn = await this.#call(draw, ({ signIn }) =>
      signIn.signIn(browser.secret, typed, 'a browser', this.#knownBrowser),
    )
    // A code that has expired, perhaps only by a wrong clock, is refused without counting an attempt.
    const mayBeExpired =
      clockErrors.minMs !== clockErrors.maxMs || scheduler.nowMs - browser.requestedMs > (CODE_LIFETIME_SECS - 1) * 1000
    if (signedIn === 'refused' && !mayBeExpired) browser.wrong += 1
    if (signedIn === 'refused' || signedIn === 'unknown') return
    this.#accepted(browser, entry)
    this.#knownBrowser = signedIn.knownBrowser
    const { email } = signedIn.account
    if (email !== browser.email) this.#world.fail('a code signs in to the account of its email', `${email}`)
    this.#judge.accountTold(email, signedIn.account.publicId)
    this.sessions.push({ email, signedIn, state: 'open', confirming: null })
  }

  async orderToken(draw: Draw, email: string): Promise<void> {
    const created = await this.#call(draw, async ({ accounts, sessions }) => {
      const account = await accounts.findByEmail(email)
      this.#judge.ordersToken()
      return { account, ...(await sessions.create(account, `script ${draw.int(1, 99)}`)) }
    })
    if (typeof created === 'object') this.sessions.push({ email, signedIn: created, state: 'open', confirming: null })
  }

  async use(draw: Draw, session: Session): Promise<void> {
    const { clockErrors, scheduler } = this.#world
    const { token, account, session: own } = session.signedIn
    const expiresMs = own.expiresAt * 1_000
    const isOver = session.state === 'ended' || scheduler.nowMs + clockErrors.minMs >= expiresMs
    const found = await this.#call(draw, async ({ sessions }) => ({ found: await sessions.authenticate(token) }))
    if (typeof found !== 'object' || !this.sessions.includes(session)) return
    const mayBeOver = session.state !== 'open' || scheduler.nowMs + clockErrors.maxMs >= expiresMs
    if (found.found === null && !mayBeOver) this.#world.fail('a session is valid until it ends', session.email)
    if (found.found !== null && isOver) this.#world.fail('an ended session is over', session.email)
    if (found.found && found.found.account.publicId !== account.publicId)
      this.#world.fail('a session belongs to its account', session.email)
  }

  async end(draw: Draw, session: Session): Promise<void> {
    const { account, session: ended } = session.signedIn
    if (session.state === 'open') session.state = 'ending'
    const answer = await this.#call(draw, ({ sessions }) => sessions.end(account, ended.publicId))
    if (answer !== 'unknown') session.state = 'ended'
  }

  async requestConfirmation(draw: Draw, session: Session): Promise<void> {
    const { account, session: own } = session.signedIn
    const answer = await this.#call(draw, ({ signIn }) => signIn.requestReauth(account, own, '192.0.2.1'))
    if (answer === 'unknown' || answer === 'refused') return
    const { email } = session
    const secret = `session ${own.publicId}`
    session.confirming = { email, secret, requestedMs: this.#world.scheduler.nowMs, wrong: 0, successes: 0 }
  }

  async confirm(draw: Draw, session: Session, browser: Browser, code: string): Promise<void> {
    const entry = this.#entry('confirm', browser, code)
    const answer = await this.#call(draw, ({ signIn }) => signIn.reauthenticate(session.signedIn.session, code))
    // Another code may have been requested meanwhile: its attempts are counted anew.
    if (answer !== 'unknown' && answer !== 'refused') this.#judge.accepted({ ...entry, wrongBefore: 0 })
  }

  #entry(purpose: 'sign_in' | 'confirm', { secret, requestedMs, wrong }: Browser, code: string) {
    const { nowMs: startedMs } = this.#world.scheduler
    return { purpose, browser: secret, code, startedMs, requestedMs, wrongBefore: wrong }
  }

  #accepted(browser: Browser, entry: Entry): void {
    browser.successes += 1
    if (browser.successes > 1) this.#world.fail('a code works once', browser.email)
    this.#judge.accepted(entry)
  }

  /** Sends one request to a random process. `unknown`: without an answer. `refused`: with an answer that it failed. */
  async #call<T>(draw: Draw, work: (services: Services) => Promise<T>): Promise<T | 'refused' | 'unknown'> {
    const { running } = this.#world
    if (running.length === 0) return 'unknown'
    try {
      return await draw.pick(running).call(work)
    } catch (error) {
      if (!isExpectedFailure(error)) throw error
      return error instanceof AppError && error.kind !== 'unavailable' ? 'refused' : 'unknown'
    }
  }
}
