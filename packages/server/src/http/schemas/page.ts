import { type Static, Type } from 'typebox'

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  before: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the last row of the previous page.' })),
})

/** The page requested by a query. */
export function parsePage({ limit = 50, before }: Static<typeof PageQuery>) {
  return before === undefined ? { limit } : { limit, before: before.toLowerCase() }
}
