import type { TestContext } from 'node:test'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { createSmtpMailer } from '../../src/adapters/smtp/mailer.ts'
import { createMailService, type Services } from '../../src/container.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Mailer } from '../../src/ports/mailer.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Mails } from '../../src/services/notify/mail.ts'
import { openTestContainer } from './container.ts'
import { type DatabaseEngine, openEmptyStore } from './databases.ts'
import { ManualClock } from './manual-clock.ts'

/** Sign-in with mails over real SMTP into a mailbox, with a manual clock. */
export interface SignInHarness {
  readonly store: Store
  readonly clock: ManualClock
  readonly signIn: Services['signIn']
  readonly sessions: Services['sessions']
  readonly accounts: Services['accounts']
  readonly emailChanges: Services['emailChanges']
  readonly services: Services
  readonly mails: Mails
  readonly mailbox: Mailbox
  /** Sends all due mails. */
  deliver(): Promise<void>
  /** Codes mailed to an address, newest first. */
  codes(email: string): string[]
  /** Requests a code. Returns the browser secret and the mailed code. */
  requestCode(email: string, client?: string): Promise<{ browser: string; code: string }>
}

export interface SignInOptions {
  readonly registration?: 'open' | 'closed'
  readonly mailer?: Mailer
  readonly metrics?: Metrics
  readonly log?: Log
}

export async function createSignInHarness(
  engine: DatabaseEngine,
  test: TestContext,
  options: SignInOptions = {},
): Promise<SignInHarness> {
  const { registration = 'open' } = options
  const store = await openEmptyStore(engine, test)
  const mailbox = await Mailbox.start()
  const mailer = options.mailer ?? createSmtpMailer(mailbox.url, 'zatgate <no-reply@example.org>', false)
  test.after(async () => {
    mailer.close()
    await mailbox.close()
  })
  const clock = new ManualClock()
  const { infrastructure, services } = await openTestContainer(test, {
    store,
    clock,
    mailer,
    ...(options.metrics && { metrics: options.metrics }),
    ...(options.log && { log: options.log }),
    env: { REGISTRATION: registration },
  })
  const { signIn, sessions, accounts, emailChanges } = services
  const mails = createMailService(infrastructure, mailer, () => 'https://pay.example')

  const codes = (email: string) => mailbox.mails(email).flatMap(({ code }) => (code === undefined ? [] : [code]))

  /** One at a time, so that the mails arrive in the order of their requests. */
  async function deliver(): Promise<void> {
    while ((await mails.sendCodes(1)) > 0);
    while ((await mails.sendNotices(1)) > 0);
  }

  return {
    store,
    clock,
    signIn,
    sessions,
    accounts,
    emailChanges,
    services,
    mails,
    mailbox,
    deliver,
    codes,
    async requestCode(email, client = '203.0.113.5') {
      const browser = await signIn.requestCode(email, client)
      await deliver()
      const [code] = codes(email)
      if (code === undefined) throw new Error(`no code came to ${email}`)
      return { browser, code }
    },
  }
}
