import { ATTENTION_MAIL, attentionMailDueAt, attentionMailText } from '../domain/attention-mail.ts'
import { backoffMs } from '../domain/backoff.ts'
import { EMAIL_NOTIFICATIONS, type EmailNotification } from '../domain/email-notification.ts'
import { codeHashInput, generateCode } from '../domain/sign-in.ts'
import { formatUtcMinute } from '../domain/time.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { KeyedHash } from '../ports/keyed-hash.ts'
import type { Log } from '../ports/log.ts'
import type { Mailer, OutgoingMail } from '../ports/mailer.ts'
import type { Random } from '../ports/random.ts'
import type { MailRow } from '../ports/repository/mail.ts'
import type { Store } from '../ports/store.ts'

type AttentionMail = Extract<MailRow, { about: 'reorged_payments' }>

export interface Mails {
  /** Sends up to `limit` due mails in parallel and returns their number. Failed mails are retried later. */
  sendDue(limit: number): Promise<number>
}

/** Attempts for each mail. The delay between them doubles from one minute to at most one hour. */
const MAX_ATTEMPTS = 8
const BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 }

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
}): Mails {
  const { store, mailer, clock, random, keyedHash, registration, publicUrl, log } = deps

  async function send(mail: MailRow): Promise<void> {
    if (mail.about === 'reorged_payments') return sendAttention(mail)
    const message = await compose(mail)
    try {
      if (message) await mailer.send(message)
      await store.write(tx => tx.mails.remove(mail))
    } catch (error) {
      reportFailure(mail, error)
      if (mail.attempts >= MAX_ATTEMPTS) await store.write(tx => tx.mails.remove(mail))
    }
  }

  function reportFailure({ id, about, attempts }: MailRow, error: unknown): void {
    log.warn({ mail: id, about, tries: attempts, err: error }, 'a mail could not be sent')
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
      if (message) {
        await mailer.send(message)
        sentAt = nowSecs(clock)
      }
    } catch (error) {
      reportFailure(mail, error)
      if (mail.attempts < MAX_ATTEMPTS) return
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
      const total = await tx.dashboard.countNeedingAttention(accountId)
      if (total === 0) return { message: null, changes }
      const listed = await tx.dashboard.needingAttention(accountId, ATTENTION_MAIL.maxListed)
      return { message: { to, ...attentionMailText(listed, total, publicUrl()) }, changes }
    })
  }

  async function compose(mail: Exclude<MailRow, AttentionMail>): Promise<OutgoingMail | null> {
    switch (mail.about) {
      case 'code':
        return composeCode(mail)
      case 'plan_ends':
        return composePlanEnds(mail, publicUrl())
      default:
        return composeNotification(mail, publicUrl())
    }
  }

  /**
   * Generates the code and stores only its hash. Null when the request has expired, or when the email has no account and
   * registration is closed. This is checked here and not during the request, so that response and timing reveal nothing.
   */
  async function composeCode(mail: Extract<MailRow, { about: 'code' }>): Promise<OutgoingMail | null> {
    const code = generateCode(random.bytes)
    const purpose = await store.write(async tx => {
      const request = await tx.signIn.byId(mail.codeId)
      if (!request || request.expiresAt <= nowSecs(clock)) return null
      if (registration === 'closed' && !(await tx.accounts.byEmail(request.email))) return null
      await tx.signIn.setCodeHash(request.id, keyedHash.hash('code', codeHashInput(request.id, code)))
      return request.purpose
    })
    return purpose && { to: mail.to, ...codeText(code, purpose) }
  }

  return {
    async sendDue(limit) {
      const now = nowSecs(clock)
      const due = await store.write(tx =>
        tx.mails.claimDue(now, limit, attempts => now + backoffMs(attempts, BACKOFF) / 1000),
      )
      await Promise.all(due.map(send))
      return due.length
    },
  }
}

function codeText(code: string, purpose: 'sign_in' | 'confirm'): { subject: string; text: string } {
  const codeName = purpose === 'sign_in' ? 'sign-in code' : 'confirmation code'
  return {
    subject: `Your zatgate ${codeName}`,
    text: [
      `Your zatgate ${codeName} is ${code}`,
      '',
      'It is valid once, for ten minutes, and only in the browser that requested it. zatgate never asks you for it.',
      'If you did not request it, you can ignore this mail.',
    ].join('\n'),
  }
}

function composePlanEnds(mail: Extract<MailRow, { about: 'plan_ends' }>, publicUrl: string): OutgoingMail {
  return {
    to: mail.to,
    subject: 'Your zatgate plan ends soon',
    text: [
      `Your zatgate plan is ${mail.detail}.`,
      '',
      `To keep it, buy another period at ${publicUrl}/billing. It starts when the current one ends.`,
      'Otherwise your account moves to the Free plan and its monthly invoice limit.',
    ].join('\n'),
  }
}

function composeNotification(mail: Extract<MailRow, { about: EmailNotification }>, publicUrl: string): OutgoingMail {
  const what = EMAIL_NOTIFICATIONS[mail.about]
  return {
    to: mail.to,
    subject: `zatgate: ${what}`,
    text: [
      `On ${formatUtcMinute(mail.createdAt)}, ${what} in your zatgate account${mail.detail === null ? '' : `: ${mail.detail}`}.`,
      '',
      `If you did not do this, sign in at ${publicUrl}, end all sessions that you do not recognise, and undo the change.`,
    ].join('\n'),
  }
}
