import { AppError, type NoSuchError } from '../domain/error.ts'
import { isUuid } from '../domain/uuid.ts'

/**
 * Finds what a client names by a public id, in either case. Other text is an unknown id.
 * @throws AppError `missing` for an unknown id
 */
export async function findByPublicId<T>(
  missing: NoSuchError,
  id: string,
  find: (publicId: string) => Promise<T | null>,
): Promise<T> {
  const found = isUuid(id) ? await find(id.toLowerCase()) : null
  if (found === null) throw new AppError(missing)
  return found
}

/**
 * The row that was read by its row id, if it is the one that was read `before`. In a promoted standby or a restored dump
 * the row id may belong to another one.
 */
export function sameRow<T extends { readonly publicId: string }>(
  row: T | null | undefined,
  before: { readonly publicId: string },
): T | null {
  return row?.publicId === before.publicId ? row : null
}
