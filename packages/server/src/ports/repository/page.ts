import type { Zat } from '../../domain/money.ts'

/** A page of a list, newest first: the records older than `before`, or the nearest that are newer than `after`. */
export interface Page {
  readonly limit: number
  /** Public id of a record. The page is empty when the account has no such record. */
  readonly before?: string
  /** Likewise. At most one of the two is given. */
  readonly after?: string
}

/** Unix seconds, from `from` on and before `to`. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** A position in a list ordered by creation time and id. */
export interface TimePosition {
  readonly createdAt: number
  readonly id: number
}

/** The number of rows, and the sum of their amounts. */
export interface Totals {
  readonly count: number
  readonly zat: Zat
}
