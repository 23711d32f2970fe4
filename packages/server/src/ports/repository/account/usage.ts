/** The number of invoices that each account created in each UTC month. */
export interface UsageRepository {
  /** Increments the month's count unless it has reached `limit`. `used` is the count afterwards. */
  increment(accountId: number, month: string, limit: number | null): Promise<{ counted: boolean; used: number }>
  /** The count of a UTC month, such as `2026-11`. */
  used(accountId: number, month: string): Promise<number>
}
