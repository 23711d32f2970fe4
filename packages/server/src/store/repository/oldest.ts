import { num } from '../mapping.ts'
import type { Db } from '../tables.ts'

const AGES = { api_keys: 'revoked_at', audit_entries: 'created_at', sign_in_codes: 'created_at' } as const

/** Deletes up to `limit` rows whose age column is below `before`, the oldest first. @returns the number of deleted rows */
export async function deleteOldest(
  db: Db,
  table: keyof typeof AGES,
  before: number,
  limit: number,
  skip = 0,
  ageColumn: 'expires_at' | (typeof AGES)[keyof typeof AGES] = AGES[table],
): Promise<number> {
  const age = db.dynamic.ref(ageColumn)
  const oldest = db.selectFrom(table).select('id').where(age, '<', before).orderBy(age).limit(limit).offset(skip)
  const result = await db.deleteFrom(table).where('id', 'in', oldest).executeTakeFirst()
  return num(result.numDeletedRows)
}
