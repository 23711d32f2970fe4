import type { Log, PayoutProvider } from '../../ports.ts'

/**
 * A person pays out, and tells the service with `zatgate withdrawals settle` or `fail`. All there is to do here is to
 * say that an order waits; who wants to be called watches for the line, or for the gauge of open orders.
 */
export function createManualPayout(log: Log): PayoutProvider {
  return {
    name: 'manual',
    async pay({ id, fiatCurrency, fiatAmount }) {
      log.info({ order: id.slice(0, 8), fiatCurrency, fiatAmount }, 'a withdrawal waits to be paid out by hand')
      return { state: 'by_hand' }
    },
  }
}
