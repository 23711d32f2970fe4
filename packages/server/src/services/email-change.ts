import type { Account } from '../domain/account.ts'
import { type Actor, SERVICE } from '../domain/audit.ts'
import { credentialHash } from '../domain/credential.ts'
import type { Session } from '../domain/session.ts'
import { parseCode, SIGN_IN_CODE } from '../domain/sign-in.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Random } from '../ports/random.ts'
import type { Store } from '../ports/store.ts'
import { changeEmail, otherEmail } from './account.ts'
import { createKnownBrowsers } from './known-browser.ts'
import { badCode, createOneTimeCodes } from './one-time-code.ts'

/** Changes the email of an account. The previous address gets a mail about it. */
export interface EmailChanges {
  /**
   * Mails a code to the new address. The caller has made sure that the session is recently authenticated. The code has ten
   * digits: guessing one would bind a stranger's address to the account.
   * @throws AppError `invalid_email`, `too_many_codes`
   */
  request(account: Account, session: Session, email: string, client: string): Promise<void>
  /** The address to which the session's last code was mailed; null when that code cannot be used. */
  pending(session: Session): Promise<string | null>
  /**
   * Changes the email with the mailed code. Sessions and API keys keep working.
   * @param knownBrowser the cookie that a sign-in returned in this browser
   * @returns the email, and the cookie by which the browser is known under it
   * @throws AppError `bad_code`, `email_taken`, `account_being_deleted`
   */
  confirm(
    account: Account,
    session: Session,
    code: string,
    knownBrowser?: string,
    actor?: Actor,
  ): Promise<{ readonly email: string; readonly knownBrowser: string }>
}

export function createEmailChanges(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
  readonly log: Log
  readonly metrics: Pick<Metrics, 'wrongCode' | 'signInBudgetSpent'>
}): EmailChanges {
  const { store, clock } = deps
  const codes = createOneTimeCodes(deps)
  const knownBrowsers = createKnownBrowsers(deps)

  return {
    async request(account, session, text, client) {
      const email = otherEmail(account, text)
      // One account has one limit, however many sessions it opens.
      const knownBrowserHash = credentialHash(`account ${account.publicId}`)
      const request = codes.request('new_email', { email, browser: browserOf(session), client, knownBrowserHash })
      codes.reportIssued(await store.write(tx => codes.issue(tx, request)))
    },

    async pending(session) {
      const browserHash = credentialHash(browserOf(session))
      const code = await store.read(tx =>
        tx.signIn.findUsable('new_email', browserHash, nowSecs(clock), SIGN_IN_CODE.maxAttempts),
      )
      return code?.email ?? null
    },

    async confirm(account, session, code, knownBrowser = '', actor = SERVICE) {
      const digits = parseCode(code)
      if (digits === null) throw badCode()
      const attempt = await store.write(async tx => {
        const attempt = await codes.redeem(tx, 'new_email', browserOf(session), digits, actor)
        if (attempt.redeemed) await changeEmail(tx, account, attempt.redeemed.email, actor, nowSecs(clock))
        return attempt
      })
      if (!attempt.redeemed) {
        codes.reportWrong(attempt)
        throw badCode()
      }
      const { email } = attempt.redeemed
      return { email, knownBrowser: knownBrowsers.remember(knownBrowser, email) }
    },
  }
}

/** Binds the code to the session. */
function browserOf(session: Session): string {
  return `new email ${session.publicId}`
}
