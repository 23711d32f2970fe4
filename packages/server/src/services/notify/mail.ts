import { credentialHash } from '../../domain/account/credential.ts'
import { EMAIL_UNDO_PATH, emailUndoText } from '../../domain/account/email-change.ts'
import { codeHashInput, generateCode, generateLongCode } from '../../domain/account/sign-in.ts'
import { MAX_COUNT } from '../../domain/count.ts'
import { ATTENTION_MAIL, attentionMailDueAt, attentionMailText } from '../../domain/notify/attention-mail.ts'
import { noticeIntervalSecs } from '../../domain/notify/email-notification.ts'
import { isGivenUp, isLastAttempt } from '../../domain/notify/mail-schedule.ts'
import { RECEIPT_MAILS } from '../../domain/notify/receipt-mail.ts'
import { mailOf, mailReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Log } from '../../ports/log.ts'
import type { Mailer, OutgoingMail } from '../../ports/mailer.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Random } from '../../ports/random.ts'
import type {
  AttentionMail,
  CodeMail,
  DueNotice,
  NoticeMail,
  ReceiptMail,
  UndoMail,
} from '../../ports/repository/notify/mail.ts'
import type { Store } from '../../ports/store.ts'
import { needsLongCode } from '../account/code-budget.ts'
import { createCodeSorter } from '../account/code-sorter.ts'
import type { SetAsides } from '../set-aside.ts'
import { createMailClaims } from './mail-claim.ts'
import { codeText, noticeMail } from './mail-text.ts'

export interface Mails {
  /** Sends up to `limit` due codes in parallel and returns their number. Failed mails are retried later. */
  sendCodes(limit: number): Promise<number>
  /** Sends up to `limit` other due mails in parallel and returns their number. Failed mails are retried later. */
  sendNotices(limit: number): Promise<number>
  /** Sends mails that are set aside, each alone. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
}

export function createMails(deps: {
  readonly store: Store
  readonly mailer: Mailer
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
  readonly registration: 'open' | 'closed'
  /** Base URL of the dashboard. */
  readonly publicUrl: () => string
  readonly log: Log
  readonly metrics: Metrics
  readonly setAsides: SetAsides
}): Mails {
  const { store, mailer, clock, random, keyedHash, publicUrl, log, setAsides } = deps
  const codeSorter = createCodeSorter(deps)
  const { claim, claimSetAside } = createMailClaims(deps)

  async function sendCode(mail: CodeMail): Promise<void> {
    const message = await composeCode(mail)
    if (message === null || (await trySend(mail, message)) || isLastAttempt(mail))
      await store.write(tx => tx.mails.remove(mail))
  }

  /** Sends one mail for all events of a kind. The next one about this kind follows after an interval. */
  async function sendNotice(mail: NoticeMail): Promise<void> {
    const message = noticeMail(mail, publicUrl())
    if ((await trySend(mail, message)) || isLastAttempt(mail))
      await store.write(tx => tx.mails.setMailed(mail, nowSecs(clock) + noticeIntervalSecs(mail.about)))
  }

  /** Retried until the change can be undone no more: without the link the owner has lost the account. */
  async function sendUndo(mail: UndoMail): Promise<void> {
    const message = await composeUndo(mail)
    if (message === null || (await trySend(mail, message))) await store.write(tx => tx.mails.remove(mail))
  }

  /**
   * Derives the token of the link from the change, so that every attempt mails the same one: a mail may have arrived
   * although its attempt failed. Only its hash is stored. Null when the change cannot be undone any more.
   */
  async function composeUndo({ emailChangeId, to, detail }: UndoMail): Promise<OutgoingMail | null> {
    return store.write(async tx => {
      const change = await tx.emailChanges.byId(emailChangeId)
      // On SQLite a later change may have the id of a deleted one.
      if (change?.previousEmail !== to || change.undoUntil <= nowSecs(clock)) return null
      const identity = `${change.id} ${change.accountId} ${change.createdAt} ${change.previousEmail}`
      const token = Buffer.from(keyedHash.hash('email undo', identity)).toString('base64url')
      await tx.emailChanges.setTokenHash(change.id, credentialHash(token))
      return { to, ...emailUndoText(change, detail, `${publicUrl()}${EMAIL_UNDO_PATH}/${token}`) }
    })
  }

  /** Once it is sent or given up, the address of the buyer is not stored any more. */
  async function sendReceipt(mail: ReceiptMail): Promise<void> {
    if ((await trySend(mail, mail)) || isLastAttempt(mail))
      await store.write(tx => tx.receiptMails.end(mail, nowSecs(clock) + RECEIPT_MAILS.repeatSecs))
  }

  async function trySend(
    mail: CodeMail | NoticeMail | UndoMail | ReceiptMail,
    message: OutgoingMail,
  ): Promise<boolean> {
    if (isGivenUp(mail)) return true
    try {
      await mailer.send(message)
      return true
    } catch (error) {
      reportFailure(mail, error)
      return false
    }
  }

  function reportFailure({ id, about, attempts }: CodeMail | DueNotice, error: unknown): void {
    // The error of a mail server may name the address, and that of a buyer is in no log.
    const err = about === 'receipt' ? failureCode(error) : error
    log.warn({ mail: id, about, attempts, err }, 'a mail could not be sent')
  }

  /**
   * Composes the mail from the invoices that need attention now. The queue entry is removed only if nothing changed
   * since then. Otherwise it is postponed, and the next mail lists the newer changes. A crash after sending causes the
   * mail to be sent again.
   */
  async function sendAttention(mail: AttentionMail): Promise<void> {
    const { message, changes } = await composeAttention(mail)
    let sentAt: number | null = null
    try {
      if (message && !isGivenUp(mail)) {
        await mailer.send(message)
        sentAt = nowSecs(clock)
      }
    } catch (error) {
      reportFailure(mail, error)
      if (!isLastAttempt(mail)) return
    }
    await store.write(async tx => {
      const changesNow = await tx.attentionMails.lockChangeCount(mail.accountId)
      if (sentAt !== null) await tx.attentionMails.setLastSentAt(mail.accountId, sentAt)
      if (changesNow === changes) await tx.mails.remove(mail)
      else await tx.mails.postpone(mail, attentionMailDueAt(nowSecs(clock), sentAt))
    })
  }

  /** `message` is null when no invoice needs attention any more. */
  async function composeAttention({ accountId, to }: AttentionMail) {
    return store.read(async tx => {
      const changes = await tx.attentionMails.changeCount(accountId)
      const total = await tx.dashboard.countNeedingAttention(accountId, MAX_COUNT + 1)
      if (total === 0) return { message: null, changes }
      const listed = await tx.dashboard.needingAttention(accountId, ATTENTION_MAIL.maxListed)
      return { message: { to, ...attentionMailText(listed, total, publicUrl()) }, changes }
    })
  }

  /**
   * Generates the code and stores only its hash. Null when the request has expired.
   */
  async function composeCode(mail: CodeMail): Promise<OutgoingMail | null> {
    return store.write(async tx => {
      const now = nowSecs(clock)
      const request = await tx.signIn.byId(mail.codeId)
      if (!request || request.expiresAt <= now) return null
      const code = (await needsLongCode(tx, request, now)) ? generateLongCode(random.bytes) : generateCode(random.bytes)
      await tx.signIn.setCodeHash(request.id, keyedHash.hash('code', codeHashInput(request.id, code)))
      return { to: mail.to, ...codeText(code, request.purpose) }
    })
  }

  function send(mail: CodeMail | DueNotice): Promise<void> {
    if (mail.about === 'code') return sendCode(mail)
    if (mail.about === 'reorged_payments') return sendAttention(mail)
    if (mail.about === 'receipt') return sendReceipt(mail)
    return mail.about === 'email_undo' ? sendUndo(mail) : sendNotice(mail)
  }

  /** Without a transaction if there is nothing to send. */
  async function sendAll(kind: 'codes' | 'notices', limit: number): Promise<number> {
    if (!(await store.query(tx => tx.mails.isAnyDue(kind, nowSecs(clock))))) return 0
    if (kind === 'codes') await codeSorter.sort()
    const mails = await claim(kind, limit)
    await setAsides.forEachAlone(mails, mailReference, send)
    return mails.length
  }

  return {
    sendCodes: limit => sendAll('codes', limit),
    sendNotices: limit => sendAll('notices', limit),

    retrySetAside: () =>
      setAsides.retryDue('mail', async entry => {
        await codeSorter.sortAlone(mailOf(entry))
        const mail = await claimSetAside(entry)
        if (mail) {
          await send(mail)
          await store.write(tx => tx.setAside.remove(entry))
        }
        return false
      }),
  }
}

/** Such as `EENVELOPE 550`. */
function failureCode(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  return (
    [code, responseCode].filter(part => typeof part === 'string' || typeof part === 'number').join(' ') || 'unknown'
  )
}
