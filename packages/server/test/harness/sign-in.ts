import type { TestContext } from 'node:test'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { createKeyedHash } from '../../src/adapters/crypto/keyed-hash.ts'
import { createSmtpMailer } from '../../src/adapters/smtp/mailer.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import type { Mailer } from '../../src/ports/mailer.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Credentials, createCredentials } from '../../src/services/credentials.ts'
import { createMails, type Mails } from '../../src/services/mail.ts'
import { createSignIn, type SignIn } from '../../src/services/sign-in.ts'
import { type DatabaseEngine, openEmptyStore } from './databases.ts'
import { silentLog } from './log.ts'
import { ManualClock } from './manual-clock.ts'

/** Sign-in with mails over real SMTP into a mailbox, with a manual clock. */
export interface SignInHarness {
  readonly store: Store
  readonly clock: ManualClock
  readonly signIn: SignIn
  readonly credentials: Credentials
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
}

export async function createSignInHarness(
  engine: DatabaseEngine,
  test: TestContext,
  options: SignInOptions = {},
): Promise<SignInHarness> {
  const { registration = 'open' } = options
  const store = await openEmptyStore(engine, test)
  const mailbox = await Mailbox.start()
  const mailer = options.mailer ?? createSmtpMailer(mailbox.url, 'zatgate <no-reply@example.org>')
  test.after(async () => {
    mailer.close()
    await mailbox.close()
  })
  const clock = new ManualClock()
  const common = { store, clock, random: systemRandom, keyedHash: createKeyedHash([Buffer.alloc(32, 3)]), registration }
  const signIn = createSignIn({ ...common, network: 'regtest', confirmations: 3 })
  const mails = createMails({ ...common, mailer, publicUrl: () => 'https://pay.example', log: silentLog })
  const onError = (error: unknown) => {
    throw error
  }
  const credentials = createCredentials({ store, clock, random: systemRandom, onError })

  const codes = (email: string) => mailbox.mails(email).flatMap(({ code }) => (code === undefined ? [] : [code]))

  async function deliver(): Promise<void> {
    while ((await mails.sendDue(20)) > 0);
  }

  return {
    store,
    clock,
    signIn,
    credentials,
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
