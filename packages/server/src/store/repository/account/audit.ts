import { type Selectable, sql } from 'kysely'
import type { AuditEntry, AuditRepository } from '../../../ports/repository/account/audit.ts'
import type { Dialect } from '../../dialect.ts'
import { num, numOrNull } from '../../mapping.ts'
import { paginate, paginateGroup } from '../../paginate.ts'
import type { AuditEntriesTable, Db } from '../../tables.ts'
import { int, text } from '../../values.ts'
import { deleteOldest } from '../oldest.ts'

export function auditRepository(db: Db, dialect: Dialect): AuditRepository {
  return {
    async append({ accountId, kind, actor, detail, createdAt }) {
      await db
        .insertInto('audit_entries')
        .values({
          account_id: accountId,
          kind,
          actor: actor.by,
          session: actor.session,
          network: actor.network,
          client: actor.client,
          detail,
          created_at: createdAt,
        })
        .execute()
    },

    async appendForEmail(email, { kind, actor, detail, createdAt }, { since, max }) {
      await sql`INSERT INTO audit_entries (account_id, kind, actor, session, network, client, detail, created_at)
        SELECT accounts.id, ${text(kind)}, ${text(actor.by)}, ${text(actor.session)}, ${text(actor.network)},
          ${text(actor.client)}, ${text(detail)}, ${int(createdAt)}
        FROM accounts WHERE accounts.email = ${text(email)} AND ${int(max)} > (
          SELECT count(*) FROM (
            SELECT 1 FROM audit_entries AS earlier
            WHERE earlier.account_id = accounts.id AND earlier.actor = ${text(actor.by)} AND earlier.created_at > ${int(since)}
            LIMIT ${max}
          ) AS recent
        )`.execute(db)
    },

    async countBy({ accountId, by, session }, since, max) {
      let recent = db
        .selectFrom('audit_entries')
        .select('id')
        .where('account_id', '=', accountId)
        .where('actor', '=', by)
        .where('created_at', '>', since)
        .limit(max)
      if (session !== undefined) recent = recent.where('session', session === null ? 'is' : '=', session)
      const row = await db
        .selectFrom(recent.as('recent'))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async list({ accountId }, limit, before, after) {
      const all = db
        .selectFrom('audit_entries')
        .leftJoin('accounts', 'accounts.id', 'audit_entries.account_id')
        .selectAll('audit_entries')
        .select('accounts.email')
      const page = { limit, before, after }
      const idOf = (entry: number) => sql.val(entry)
      const [column, id] = ['audit_entries.account_id', 'audit_entries.id']
      const query =
        accountId === undefined
          ? paginate(all, page, [id], idOf)
          : paginateGroup(all, page, { column, value: accountId, id }, idOf, dialect)
      const entries = (await query.execute()).map(toEntry)
      return after === undefined ? entries : entries.reverse()
    },

    prune: (before, limit, skip) => deleteOldest(db, 'audit_entries', before, limit, skip),
  }
}

function toEntry(row: Selectable<AuditEntriesTable> & { readonly email: string | null }): AuditEntry {
  return {
    id: num(row.id),
    accountId: numOrNull(row.account_id),
    email: row.email,
    kind: row.kind,
    actor: { by: row.actor, session: row.session, network: row.network, client: row.client },
    detail: row.detail,
    createdAt: num(row.created_at),
  }
}
