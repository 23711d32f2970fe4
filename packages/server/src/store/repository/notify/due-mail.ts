import { sql } from 'kysely'
import { CODE_QUEUES } from '../../../domain/account/sign-in.ts'
import { keptStatement } from '../../kept-statement.ts'
import type { Db } from '../../tables.ts'

// Asked every few seconds.
const findNotice = keptStatement(db =>
  db.selectFrom('mails').select('id').where('queue', '=', sql.lit('notice')).where('due_at', '<=', 0).limit(sql.lit(1)),
)
const findCode = keptStatement(db =>
  db
    .selectFrom('mails')
    .select('id')
    .where(({ or, eb }) => {
      const codes = CODE_QUEUES.map(queue => sql.lit(queue))
      return or([eb('queue', '=', sql.lit('unsorted')), eb('queue', 'in', codes).and('due_at', '<=', 0)])
    })
    .limit(sql.lit(1)),
)

/** See `MailRepository.isAnyDue`. */
export async function isAnyMailDue(db: Db, kind: 'codes' | 'notices', now: number): Promise<boolean> {
  const find = kind === 'codes' ? findCode : findNotice
  return (await find(db, 1, [now])).length > 0
}
