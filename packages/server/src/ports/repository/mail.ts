import type { Notice } from '../../domain/email-notification.ts'

/** A mail to be written and sent after the commit. It holds no secret: a code is drawn when it is sent. */
export type NewMail =
  | { readonly to: string; readonly about: 'code'; readonly codeId: number; readonly createdAt: number }
  | { readonly to: string; readonly about: 'plan_ends'; readonly detail: string; readonly createdAt: number }
  | { readonly to: string; readonly about: Notice; readonly detail: string | null; readonly createdAt: number }

/** A mail about an account's invoices that need attention. It is composed when it is sent. */
export interface NewAttentionMail {
  readonly to: string
  readonly about: 'reorged_payments'
  readonly accountId: number
  readonly createdAt: number
  /** Unix seconds: not sent before. */
  readonly dueAt: number
}

export type MailRow = (NewMail | Omit<NewAttentionMail, 'dueAt'>) & {
  readonly id: number
  /** Attempts, the present one included. */
  readonly tries: number
}

export interface MailRows {
  /** Due at once, after the commit. */
  append(mail: NewMail): Promise<void>
  /** Queues these, but for accounts that have one waiting already. */
  appendAttention(mails: readonly NewAttentionMail[]): Promise<void>
  /**
   * Takes mails that are due, oldest first, for this process alone: another sees them again only after `retryAt`,
   * which is told the number of tries.
   */
  claim(now: number, limit: number, retryAt: (tries: number) => number): Promise<MailRow[]>
  remove(id: number): Promise<void>
  /** Keeps the mail for another time, as if it had not been tried yet. */
  postpone(id: number, dueAt: number): Promise<void>
}

export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Mailer {
  /** Resolves when the mail server has taken the mail over. */
  send(mail: OutgoingMail): Promise<void>
  close(): void
}
