import { ATTENTION_MAIL, attentionMailDueAt, attentionMailText } from '../domain/attention-mail.ts'
import { NOTICES, type Notice } from '../domain/email-notification.ts'
import { boundCode, drawCode } from '../domain/sign-in.ts'
import { utcMinute } from '../domain/time.ts'
import type { MailRow, OutgoingMail } from '../ports/repository/mail.ts'
import type { Clock, KeyedHash, Log, Mailer, Random, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

type AttentionMail = Extract<MailRow, { about: 'reorged_payments' }>

export interface Mails {
  /** Sends up to `limit` mails that are due, side by side; how many were due. What fails stays for a later time. */
  sendDue(limit: number): Promise<number>
}

/** Attempts of one mail, and the seconds after each until the next: a minute, two, four … an hour at most. */
const TRIES = 8
const retryAfterSecs = (tries: number) => Math.min(60 * 2 ** (tries - 1), 3_600)

export function createMails(deps: {
  readonly store: Store
  readonly mailer: Mailer
  readonly clock: Clock
  readonly random: Random
  readonly keyedHash: KeyedHash
  readonly registration: 'open' | 'closed'
  /** Where the dashboard is. */
  readonly publicUrl: () => string
  readonly log: Log
}): Mails {
  const { store, mailer, clock, random, keyedHash, registration, publicUrl, log } = deps

  async function send(mail: MailRow): Promise<void> {
    if (mail.about === 'reorged_payments') return sendAttention(mail)
    const written = await write(mail)
    try {
      if (written) await mailer.send(written)
      await store.write(rows => rows.mails.remove(mail.id))
    } catch (error) {
      reportFailure(mail, error)
      if (mail.tries >= TRIES) await store.write(rows => rows.mails.remove(mail.id))
    }
  }

  function reportFailure({ id, about, tries }: MailRow, error: unknown): void {
    log.warn({ mail: id, about, tries, err: error }, 'a mail could not be sent')
  }

  /**
   * Composes the mail from what needs attention now. It is removed afterwards only if nothing has changed since it was
   * composed: otherwise what came in between waits for the next mail. A crash after the sending sends it once more.
   */
  async function sendAttention(mail: AttentionMail): Promise<void> {
    const { written, changes } = await writeAttention(mail)
    let sentAt: number | null = null
    try {
      if (written) {
        await mailer.send(written)
        sentAt = nowSecs(clock)
      }
    } catch (error) {
      reportFailure(mail, error)
      if (mail.tries < TRIES) return
    }
    await store.write(async rows => {
      const changesNow = await rows.attentionMails.lockChanges(mail.accountId)
      if (sentAt !== null) await rows.attentionMails.setLastSent(mail.accountId, sentAt)
      if (changesNow === changes) await rows.mails.remove(mail.id)
      else await rows.mails.postpone(mail.id, attentionMailDueAt(nowSecs(clock), sentAt))
    })
  }

  /** Null when nothing needs attention any more. */
  async function writeAttention({ accountId, to }: AttentionMail) {
    return store.read(async rows => {
      const changes = await rows.attentionMails.changes(accountId)
      const total = await rows.dashboard.countNeedingAttention(accountId)
      if (total === 0) return { written: null, changes }
      const listed = await rows.dashboard.needingAttention(accountId, ATTENTION_MAIL.listed)
      return { written: { to, ...attentionMailText(listed, total, publicUrl()) }, changes }
    })
  }

  async function write(mail: Exclude<MailRow, AttentionMail>): Promise<OutgoingMail | null> {
    switch (mail.about) {
      case 'code':
        return writeCode(mail)
      case 'plan_ends':
        return writePlanEnds(mail, publicUrl())
      default:
        return writeNotice(mail, publicUrl())
    }
  }

  /**
   * Draws the code only now, and keeps no more than its hash. Null when there is nothing to send any more, or nobody
   * who may sign in: that is found out here, where the one who asked cannot see or time it.
   */
  async function writeCode(mail: Extract<MailRow, { about: 'code' }>): Promise<OutgoingMail | null> {
    const code = drawCode(random.bytes)
    const purpose = await store.write(async rows => {
      const asked = await rows.signIn.byId(mail.codeId)
      if (!asked || asked.expiresAt <= nowSecs(clock)) return null
      if (registration === 'closed' && !(await rows.accounts.byEmail(asked.email))) return null
      await rows.signIn.setCode(asked.id, keyedHash.hash('code', boundCode(asked.id, code)))
      return asked.purpose
    })
    return purpose && { to: mail.to, ...codeText(code, purpose) }
  }

  return {
    async sendDue(limit) {
      const now = nowSecs(clock)
      const due = await store.write(rows => rows.mails.claim(now, limit, tries => now + retryAfterSecs(tries)))
      await Promise.all(due.map(send))
      return due.length
    },
  }
}

function codeText(code: string, purpose: 'sign_in' | 'confirm'): { subject: string; text: string } {
  const whatFor = purpose === 'sign_in' ? 'sign-in code' : 'confirmation code'
  return {
    subject: `Your zatgate ${whatFor}`,
    text: [
      `Your zatgate ${whatFor} is ${code}`,
      '',
      'It is valid for ten minutes, once, and only in the browser that asked for it. Nobody from zatgate will ever ask you for it.',
      'If it was not you who asked, you can ignore this mail.',
    ].join('\n'),
  }
}

function writePlanEnds(mail: Extract<MailRow, { about: 'plan_ends' }>, publicUrl: string): OutgoingMail {
  return {
    to: mail.to,
    subject: 'Your zatgate plan ends soon',
    text: [
      `Your zatgate plan is ${mail.detail}.`,
      '',
      `To go on with it, buy another period at ${publicUrl}/billing; it begins where this one ends.`,
      'Without that, your account is on the Free plan afterwards, and makes no more invoices a month than that allows.',
    ].join('\n'),
  }
}

function writeNotice(mail: Extract<MailRow, { about: Notice }>, publicUrl: string): OutgoingMail {
  const what = NOTICES[mail.about]
  return {
    to: mail.to,
    subject: `zatgate: ${what}`,
    text: [
      `On ${utcMinute(mail.createdAt)}, ${what} in your zatgate account${mail.detail === null ? '' : `: ${mail.detail}`}.`,
      '',
      `If it was not you, sign in at ${publicUrl}, end the sessions that you do not know, and change it back.`,
    ].join('\n'),
  }
}
