/** Metrics of webhook delivery. */
export interface DeliveryMeter {
  /** Counts a finished attempt. `success` is a 2xx response in time. */
  attempt(outcome: 'success' | 'failure'): void
  /** Sets the number of attempts in flight in this process. */
  underWay(attempts: number): void
}
