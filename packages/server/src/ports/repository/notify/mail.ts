import type { CodeQueue } from '../../../domain/account/sign-in.ts'
import type { NoticeKind } from '../../../domain/notify/email-notification.ts'

/** `unsorted`: codes for unknown browsers whose queue is not known yet. */
export type MailQueue = CodeQueue | 'unsorted' | 'notice'

/** A mail with a code. It contains no secret: the code is generated when the mail is sent. */
export interface NewCodeMail {
  readonly to: string
  readonly about: 'code'
  readonly codeId: number
  readonly createdAt: number
}

/** A mail about an action, the plan or the webhook of an account. */
export interface NewNotice {
  readonly to: string
  readonly about: NoticeKind
  readonly detail: string | null
  readonly createdAt: number
  /** Number of events that it reports. Default: 1. */
  readonly events?: number
}

/** A mail about an account's invoices that need attention. It is composed when it is sent. */
export interface NewAttentionMail {
  readonly to: string
  readonly about: 'reorged_payments'
  readonly accountId: number
  readonly createdAt: number
  /** Unix seconds: the earliest time to send it. */
  readonly dueAt: number
}

/** A mail with a link that undoes a change of the email. The token is derived when the mail is sent. */
export interface NewUndoMail {
  readonly to: string
  readonly about: 'email_undo'
  readonly emailChangeId: number
  /** The new email. */
  readonly detail: string | null
  readonly createdAt: number
}

/** A claimed mail. */
interface Claimed {
  readonly id: number
  /** Number of attempts, the current one included. */
  readonly attempts: number
}

/** A claimed code. */
export type CodeMail = NewCodeMail & Claimed

/** A claimed notice. It stands for all events of its kind that were not mailed before; `detail` is the last one's. */
export type NoticeMail = Omit<NewNotice, 'events'> &
  Claimed & {
    /** Number of events to mail. */
    readonly unmailed: number
    /** Number of events since the row was created, those mailed before included. */
    readonly events: number
    /** Unix seconds: when the last event happened. */
    readonly lastAt: number
  }

/** A claimed mail about invoices that need attention. */
export type AttentionMail = Omit<NewAttentionMail, 'dueAt'> & Claimed

/** A claimed mail with such a link. */
export type UndoMail = NewUndoMail & Claimed

/** A claimed mail with a receipt, in the language of its buyer. */
export interface ReceiptMail extends Claimed {
  readonly to: string
  readonly about: 'receipt'
  readonly subject: string
  readonly text: string
  readonly createdAt: number
}

/** A claimed mail of the queue of notices. */
export type DueNotice = NoticeMail | AttentionMail | UndoMail | ReceiptMail

/** The identity of a claimed mail. */
export type ClaimedMail = Pick<CodeMail | DueNotice, 'id' | 'to' | 'about' | 'createdAt'>

/** A code for an unknown browser that waits for its queue. */
export interface UnsortedCode {
  readonly mailId: number
  readonly hasAccount: boolean
}

/** The identity of a mail that is not claimed. */
export interface DueMail {
  readonly id: number
  readonly createdAt: number
}

/** Returns the time from which other processes may claim a mail that was claimed for the given attempt. */
type RetryAt = (attempts: number) => number

/** The queues of mails. */
export interface MailRepository {
  /** Queues a notice that is due right after the commit, or adds the event to the recipient's row of this kind. */
  enqueue(notice: NewNotice): Promise<void>
  /** Queues a code that is due right after the commit. */
  enqueueCode(mail: NewCodeMail, queue: 'browser' | 'unsorted'): Promise<void>
  /** Queues a mail with a link that is due right after the commit. */
  enqueueUndo(mail: NewUndoMail): Promise<void>
  /** Whether a mail with the link of this change waits to be sent. */
  isUndoWaiting(mail: Pick<NewUndoMail, 'to' | 'emailChangeId'>): Promise<boolean>
  /** Queues mails, except for accounts that already have one waiting. */
  enqueueAttention(mails: readonly NewAttentionMail[]): Promise<void>
  /** The oldest unsorted codes. */
  listUnsorted(limit: number): Promise<DueMail[]>
  /** Locks the oldest unsorted codes that no other process is sorting. @param mails of these; default: not those set aside */
  lockUnsorted(limit: number, mails?: readonly DueMail[]): Promise<UnsortedCode[]>
  /** Moves unsorted codes to their queue. */
  setQueue(mailIds: readonly number[], queue: CodeQueue): Promise<void>
  /** Removes unsorted codes that are not mailed. */
  removeUnsorted(mailIds: readonly number[]): Promise<void>
  /** Number of mails that are not sent, counted up to `MAX_MEASURED`. */
  countWaiting(): Promise<number>
  /**
   * Claims due codes for this process: those of the first queue first, in each the oldest first. Other processes see them
   * again only after the time that `retryAt` returns.
   * @param ids of these. Default: not those that are set aside
   */
  claimCodes(now: number, limit: number, retryAt: RetryAt, ids?: readonly number[]): Promise<CodeMail[]>
  /**
   * Claims due notices, links, receipts and mails about payments, oldest first.
   * @param ids of these. Default: not those that are set aside, and rows whose events are all mailed are removed
   */
  claimNotices(now: number, limit: number, retryAt: RetryAt, ids?: readonly number[]): Promise<DueNotice[]>
  /**
   * False when there is nothing to claim: no due mail, no unsorted code, and no due row whose events are all mailed. A
   * cheap read for a service at rest.
   */
  isAnyDue(kind: 'codes' | 'notices', now: number): Promise<boolean>
  /** The mails that `claimCodes` or `claimNotices` would claim. */
  listDue(kind: 'codes' | 'notices', now: number, limit: number): Promise<DueMail[]>
  /** Makes a mail that is set aside due. @returns its queue; null: it does not exist any more */
  makeDue(mail: DueMail, now: number): Promise<MailQueue | null>
  /** Records that the notice's events are mailed. Later ones are due at `dueAt`. */
  setMailed(notice: NoticeMail, dueAt: number): Promise<void>
  /** Removes the claimed mail. On SQLite a later mail may have its id: that one stays. */
  remove(mail: ClaimedMail): Promise<void>
  /** Postpones the mail and resets its number of attempts. */
  postpone(mail: ClaimedMail, dueAt: number): Promise<void>
}
