import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { credentialHash } from '../../domain/account/credential.ts'
import { EMAIL_UNDO_SECS, firstUndone, requireFewEmailChanges } from '../../domain/account/email-change.ts'
import type { Session } from '../../domain/account/session.ts'
import { parseCode } from '../../domain/account/sign-in.ts'
import { AppError } from '../../domain/error.ts'
import { emailNotification } from '../../domain/notify/email-notification.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Random } from '../../ports/random.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { changeEmail, otherEmail } from './account.ts'
import { cancelDeletion } from './account-deletion.ts'
import { recordChange } from './audit.ts'
import { findUsableCode } from './code-budget.ts'
import { createKnownBrowsers } from './known-browser.ts'
import { createOneTimeCodes } from './one-time-code.ts'

/** Changes the email of an account. The previous address gets a mail with a link that undoes it. */
export interface EmailChanges {
  /**
   * Mails a code to the present and one to the new address. The caller has made sure that the session is recently
   * authenticated. The codes have ten digits: guessing them would bind a stranger's address to the account.
   * @throws AppError `invalid_email`, `too_many_codes`
   */
  request(account: Account, session: Session, email: string, client: string): Promise<void>
  /** The address to which the session's last code was mailed; null when that code cannot be used. */
  pending(session: Session): Promise<string | null>
  /**
   * Changes the email with both mailed codes. Sessions and API keys keep working.
   * @param knownBrowser the cookie that a sign-in returned in this browser
   * @returns the email, and the cookie by which the browser is known under it
   * @throws AppError `recent_sign_in_required`, `bad_code`, `email_taken`, `account_being_deleted`, `too_many_email_changes`
   */
  confirm(
    account: Account,
    session: Session,
    codes: EmailCodes,
    knownBrowser?: string,
    actor?: Actor,
  ): Promise<{ readonly email: string; readonly knownBrowser: string }>
  /** The address that a link gives the account back to; null for a link that is used, replaced, unknown or too old. */
  undoable(token: string): Promise<string | null>
  /**
   * Gives the account back to the previous address. All sessions end, other browsers are forgotten, and API keys are
   * revoked. A deletion of the account is canceled. Later changes of the email cannot be undone any more.
   * @param knownBrowser the cookie that an earlier sign-in returned in this browser
   * @returns the restored address, and the cookie by which this browser is known under it
   * @throws AppError `no_such_link`
   */
  undo(
    token: string,
    knownBrowser?: string,
    actor?: Actor,
  ): Promise<{ readonly email: string; readonly knownBrowser: string }>
}

export interface EmailCodes {
  /** The code mailed to the present address, as entered. */
  readonly present: string
  /** The code mailed to the new address. */
  readonly next: string
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
      const common = { browser: browserOf(session), client, knownBrowserHash }
      const issued = await store.write(async tx => [
        await codes.issue(tx, codes.request('present_email', { ...common, email: account.email })),
        await codes.issue(tx, codes.request('new_email', { ...common, email })),
      ])
      for (const spending of issued) codes.reportIssued(spending)
    },

    async pending(session) {
      const browserHash = credentialHash(browserOf(session))
      const code = await store.read(tx => findUsableCode(tx, 'new_email', browserHash, nowSecs(clock)))
      return code?.email ?? null
    },

    async confirm(account, session, entered, knownBrowser = '', actor = SERVICE) {
      const [present, next] = [parseCode(entered.present), parseCode(entered.next)]
      if (present === null || next === null) throw new AppError('bad_code')
      const browser = browserOf(session)
      const at = nowSecs(clock)
      const { attempts, changed } = await store.write(async tx => {
        if ((await tx.signIn.recentlyAuthenticatedUntil(session.id)) <= at)
          throw new AppError('recent_sign_in_required')
        const attempts = await codes.redeemAll(
          tx,
          [
            { purpose: 'present_email', browser, code: present },
            { purpose: 'new_email', browser, code: next },
          ],
          actor,
        )
        const [old, own] = attempts.map(({ redeemed }) => redeemed)
        // The code of an address that the account no longer has proves nothing.
        const before = await tx.accounts.lock(account.id)
        if (!own || !before || old?.email !== before.email) return { attempts, changed: null }
        const { email } = own
        await changeUndoably(tx, before, email, actor, at)
        return { attempts, changed: { email, knownBrowser: await knownBrowsers.remember(tx, knownBrowser, email) } }
      })
      for (const attempt of attempts) if (!attempt.redeemed) codes.reportWrong(attempt)
      if (!changed) throw new AppError('bad_code')
      return changed
    },

    async undoable(token) {
      const change = await store.read(tx => tx.emailChanges.byTokenHash(credentialHash(token), nowSecs(clock)))
      return change?.previousEmail ?? null
    },

    async undo(token, knownBrowser = '', actor = SERVICE) {
      const at = nowSecs(clock)
      const hash = credentialHash(token)
      return store.write(async tx => {
        const found = await tx.emailChanges.byTokenHash(hash, at)
        const account = found && (await tx.accounts.lock(found.accountId))
        // Read again: another request may have used the link before the lock.
        const change = await tx.emailChanges.byTokenHash(hash, at)
        if (!account || !change) throw new AppError('no_such_link')
        const { previousEmail } = change
        if (account.email !== previousEmail && !(await tx.accounts.setEmail(account.id, previousEmail)))
          throw new Error('the previous address of an account was given to another one')
        await tx.sessions.endAll(account.id, at)
        await tx.apiKeys.revokeAll(account.id, at)
        // Before the changes are deleted: their addresses get this notice too.
        const restored = { ...account, email: previousEmail }
        // An email cannot be changed while the account is being deleted, so the deletion was requested after the change.
        await cancelDeletion(tx, restored, actor, at)
        await recordChange(tx, restored, actor, { kind: 'email_change_undone', at, detail: previousEmail })
        if (account.email !== previousEmail)
          await tx.mails.enqueue(emailNotification(account, 'email_change_undone', at))
        const first = firstUndone(await tx.emailChanges.open(account.id, at), previousEmail) ?? change
        await tx.emailChanges.removeFrom(account.id, first.id)
        return { email: previousEmail, knownBrowser: await knownBrowsers.forgetOthers(tx, knownBrowser, restored) }
      })
    },
  }
}

/** Changes the email, and mails a link to the previous address. The notice goes to the new one. */
async function changeUndoably(tx: Tx, before: Account, email: string, actor: Actor, at: number): Promise<void> {
  requireFewEmailChanges(await tx.emailChanges.open(before.id, at), at)
  await changeEmail(tx, { ...before, email }, email, actor, at)
  const emailChangeId = await tx.emailChanges.insert({
    accountId: before.id,
    previousEmail: before.email,
    createdAt: at,
    undoUntil: at + EMAIL_UNDO_SECS,
  })
  await tx.mails.enqueueUndo({ to: before.email, about: 'email_undo', emailChangeId, detail: email, createdAt: at })
}

/** Binds the codes to the session. */
function browserOf(session: Session): string {
  return `new email ${session.publicId}`
}
