import type { World } from './world.ts'

type Values = readonly (string | number | bigint)[]

/** A reader of the committed rows of a query. */
export function query<Row>(sql: string) {
  return ({ database }: World, ...values: Values): Row[] => database.committed<Row>(sql, ...values)
}

/** As `query`, of the first row only. */
export function queryOne<Row>(sql: string) {
  return ({ database }: World, ...values: Values): Row | undefined => database.committed<Row>(sql, ...values)[0]
}
