import type { EmailNotification } from '../../domain/email-notification.ts'

/** A mail that is composed and sent after the commit. It contains no secret: a code is generated when it is sent. */
export type NewMail =
  | { readonly to: string; readonly about: 'code'; readonly codeId: number; readonly createdAt: number }
  | { readonly to: string; readonly about: 'plan_ends'; readonly detail: string; readonly createdAt: number }
  | {
      readonly to: string
      readonly about: EmailNotification
      readonly detail: string | null
      readonly createdAt: number
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

/** A claimed mail, with what is needed to compose it. */
export type MailRow = (NewMail | Omit<NewAttentionMail, 'dueAt'>) & {
  readonly id: number
  /** Number of attempts, the current one included. */
  readonly attempts: number
}

/** What identifies a claimed mail. */
export type ClaimedMail = Pick<MailRow, 'id' | 'to' | 'about' | 'createdAt'>

/** The queue of mails. */
export interface MailRepository {
  /** Queues a mail that is due right after the commit. */
  enqueue(mail: NewMail): Promise<void>
  /** Queues mails, except for accounts that already have one waiting. */
  enqueueAttention(mails: readonly NewAttentionMail[]): Promise<void>
  /**
   * Claims due mails for this process, oldest first. Other processes see them again only after the time that `retryAt`
   * returns for the number of attempts.
   */
  claimDue(now: number, limit: number, retryAt: (attempts: number) => number): Promise<MailRow[]>
  /** Removes the claimed mail. On SQLite a later mail may have its id: that one stays. */
  remove(mail: ClaimedMail): Promise<void>
  /** Postpones the mail and resets its number of attempts. */
  postpone(mail: ClaimedMail, dueAt: number): Promise<void>
}
