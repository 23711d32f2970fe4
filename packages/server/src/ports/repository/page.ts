/** A page of a list, newest first: the records older than `before`. */
export interface Page {
  readonly limit: number
  /** Public id of a record. The page is empty when the account has no such record. */
  readonly before?: string
}
