import type { Account } from '../../domain/account/account.ts'
import { requireNoDeletion } from '../../domain/account/account-deletion.ts'
import {
  type Actor,
  type AuditKind,
  changeLimits,
  endsWithDeletion,
  isLimited,
  isMailed,
  OPERATOR,
  VISITOR_LIMIT,
} from '../../domain/account/audit.ts'
import { noticeRecipients } from '../../domain/account/email-change.ts'
import { AppError } from '../../domain/error.ts'
import { type EmailNotification, emailNotification } from '../../domain/notify/email-notification.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { AuditEntry, AuditFilter } from '../../ports/repository/account/audit.ts'
import type { Store, Tx } from '../../ports/store.ts'

/** The log of sign-ins, changes of accounts and operator commands. */
export interface AuditLog {
  /** Newest first: entries with ids below `before`. */
  list(filter: AuditFilter & { readonly kind?: AuditKind }, limit: number, before?: number): Promise<AuditEntry[]>
  /** The entries of an account that are the nearest with ids above `after`, newest first. */
  listAfter(account: Pick<Account, 'id'>, limit: number, after: number): Promise<AuditEntry[]>
  /** Records an operator command that consists of several transactions, before the first one. */
  recordCommand(kind: AuditKind, detail?: string): Promise<void>
}

/** No index finds the entries of a kind, so entries are read in bounded pages until enough are found. */
const KIND_PAGE = 1_000

export function createAuditLog({ store, clock }: { readonly store: Store; readonly clock: Clock }): AuditLog {
  return {
    async list({ kind, ...filter }, limit, before) {
      const read = (count: number, from?: number) => store.read(tx => tx.audit.list(filter, count, from))
      if (kind === undefined) return read(limit, before)
      const found: AuditEntry[] = []
      for (let from = before; ; ) {
        const page = await read(KIND_PAGE, from)
        for (const entry of page) if (entry.kind === kind && found.length < limit) found.push(entry)
        from = page.at(-1)?.id
        if (found.length === limit || page.length < KIND_PAGE) return found
      }
    },
    listAfter: ({ id }, limit, after) => store.read(tx => tx.audit.list({ accountId: id }, limit, undefined, after)),
    recordCommand: (kind, detail) =>
      store.write(tx => recordCommand(tx, { accountId: null, kind, at: nowSecs(clock), detail })),
  }
}

interface Change {
  readonly kind: AuditKind
  /** Unix seconds. */
  readonly at: number
  /** Names the object, such as an API key. Must contain no secret, no viewing key and no full invoice id. */
  readonly detail?: string | null | undefined
}

/**
 * Records a change of an account in the transaction that makes it, and mails it to the owner if it is one of those.
 * @throws AppError `too_many_changes` when the session or the owner made too many of them; `account_being_deleted`
 */
export async function recordChange(
  tx: Pick<Tx, 'accounts' | 'audit' | 'emailChanges' | 'mails' | 'signIn'>,
  account: Pick<Account, 'id' | 'email'>,
  actor: Actor,
  { kind, at, detail = null }: Change,
): Promise<void> {
  if (endsWithDeletion(actor, kind)) requireNoDeletion((await tx.accounts.lock(account.id)) ?? {})
  if (isLimited(actor, kind)) await checkChangeLimits(tx, account.id, actor, at)
  await tx.audit.append({ accountId: account.id, kind, actor, detail, createdAt: at })
  if (isMailed(kind)) await notify(tx, account, kind, at, detail)
}

/** Mails to the account's email, and to the addresses that can undo a change of it. */
async function notify(
  tx: Pick<Tx, 'emailChanges' | 'mails'>,
  { id, email }: Pick<Account, 'id' | 'email'>,
  kind: EmailNotification,
  at: number,
  detail: string | null,
): Promise<void> {
  const open = await tx.emailChanges.open(id, at)
  for (const to of noticeRecipients(email, open))
    await tx.mails.enqueue(emailNotification({ email: to }, kind, at, detail))
}

/** @throws AppError `too_many_changes` */
async function checkChangeLimits(
  tx: Pick<Tx, 'audit' | 'signIn'>,
  accountId: number,
  { by, session }: Actor,
  now: number,
): Promise<void> {
  const recentUntil = session === null ? 0 : await tx.signIn.recentlyAuthenticatedUntilOf(session)
  for (const { per, max, since, retryAfterSecs } of changeLimits(recentUntil, now)) {
    const scope = per === 'session' ? { accountId, by, session } : { accountId, by }
    if ((await tx.audit.countBy(scope, since, max)) >= max) throw new AppError('too_many_changes', { retryAfterSecs })
  }
}

/** Records what someone did who has not signed in. Does nothing when no account has the email. */
export async function recordVisit(
  tx: Pick<Tx, 'audit'>,
  email: string,
  actor: Actor,
  { kind, at }: Pick<Change, 'kind' | 'at'>,
): Promise<void> {
  const limit = { since: at - VISITOR_LIMIT.windowSecs, max: VISITOR_LIMIT.max }
  await tx.audit.appendForEmail(email, { kind, actor: { ...actor, by: 'visitor' }, detail: null, createdAt: at }, limit)
}

/** Records a change by the operator, who has no limit. */
export async function recordCommand(
  tx: Pick<Tx, 'audit'>,
  { accountId, kind, at, detail = null }: Change & { readonly accountId: number | null },
): Promise<void> {
  await tx.audit.append({ accountId, kind, actor: OPERATOR, detail, createdAt: at })
}
