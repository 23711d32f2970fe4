/** What the delivery of webhooks measures of itself; main makes gauges and counters of it. */
export interface DeliveryMeter {
  /** An attempt ended: with a 2xx in time, or not. */
  attempt(outcome: 'success' | 'failure'): void
  /** Attempts under way in this process. */
  underWay(attempts: number): void
}
