import { AppError } from '../error.ts'
import { DAY_SECS, formatUtcMinute } from '../time.ts'

/** How long the previous address of an account can undo the change of its email. */
export const EMAIL_UNDO_SECS = 7 * DAY_SECS

/** How many changes of one account can be undone at a time. It bounds the addresses that get its notices. */
export const MAX_EMAIL_CHANGES = 5

/** A change of an account's email that its previous address can undo. */
export interface EmailChange {
  readonly id: number
  readonly accountId: number
  readonly previousEmail: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly undoUntil: number
}

/** The path of the page behind the link, followed by its token. */
export const EMAIL_UNDO_PATH = '/undo-email'

/** The mail to the previous address. @param newEmail null: unknown */
export function emailUndoText(
  { createdAt, undoUntil }: Pick<EmailChange, 'createdAt' | 'undoUntil'>,
  newEmail: string | null,
  link: string,
): { subject: string; text: string } {
  const detail = newEmail === null ? '' : `: ${newEmail}`
  return {
    subject: 'zatgate: the email was changed',
    text: [
      `On ${formatUtcMinute(createdAt)}, the email was changed in your zatgate account${detail}.`,
      '',
      'If you did not do this, someone else controls your account. Undo it here:',
      link,
      '',
      `The link works once, until ${formatUtcMinute(undoUntil)}. It gives the account back to this address, ends all sessions and revokes all API keys. Until then this address gets the notices of the account too.`,
      'If you changed the email yourself, you can ignore this mail. Do not pass it on.',
    ].join('\n'),
  }
}

/** @param open the changes of the account that can be undone now */
export function requireFewEmailChanges(open: readonly EmailChange[], now: number): void {
  const [oldest] = open
  if (!oldest || open.length < MAX_EMAIL_CHANGES) return
  throw new AppError('too_many_email_changes', {
    retryAfterSecs: oldest.undoUntil - now,
    detail: `at most ${MAX_EMAIL_CHANGES} in seven days`,
  })
}

/**
 * The first change that ends when `email` gets the account back: the one that took the account from it. Later ones may be
 * those of a thief who changed the email back and again.
 * @param open the changes of the account that can be undone now, oldest first
 */
export function firstUndone(open: readonly EmailChange[], email: string): EmailChange | undefined {
  return open.find(({ previousEmail }) => previousEmail === email)
}

/** The addresses that get the notices of an account: its email, and those that can undo the change of it. */
export function noticeRecipients(email: string, open: readonly EmailChange[]): readonly string[] {
  return [...new Set([email, ...open.map(({ previousEmail }) => previousEmail)])]
}
