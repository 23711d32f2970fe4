import type { AuditKind } from '../../domain/account/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import type { Context } from '../context.ts'
import { table } from '../output.ts'
import { withServices } from '../services.ts'

const DEFAULT_LIMIT = 50

interface AuditArguments {
  readonly email: string | undefined
  readonly kind: AuditKind | undefined
  readonly limit: number | undefined
  /** The id of an entry. */
  readonly before: number | undefined
}

export async function audit(
  { email, kind, limit = DEFAULT_LIMIT, before }: AuditArguments,
  context: Context,
): Promise<void> {
  const { out } = context
  const entries = await withServices(context, async ({ accounts, auditLog }) => {
    const accountId = email === undefined ? undefined : (await accounts.findByEmail(email)).id
    const filter = { ...(accountId !== undefined && { accountId }), ...(kind !== undefined && { kind }) }
    return auditLog.list(filter, limit, before)
  })
  out.result(
    entries.map(({ id, email: account, kind: name, actor, detail, createdAt }) => ({
      id,
      account,
      kind: name,
      ...actor,
      detail,
      created_at: createdAt,
    })),
    entries.length === 0
      ? ['no entries']
      : table(
          ['id', 'time', 'account', 'what', 'by', 'network', 'client', 'detail'],
          entries.map(({ id, email: account, kind: name, actor, detail, createdAt }) => [
            String(id),
            formatUtc(createdAt),
            account ?? '',
            name,
            actor.by,
            actor.network ?? '',
            actor.client ?? '',
            detail ?? '',
          ]),
        ),
  )
  const last = entries.at(-1)
  if (last && entries.length === limit) out.note(`older entries: --before ${last.id}`)
}
