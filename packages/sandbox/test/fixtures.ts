import { setImmediate as nextTurn } from 'node:timers/promises'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { type IncomingViewingKey, parseViewingKey } from '@zatgate/zcash/viewing-key'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import { demoViewingKey } from '../src/chain/keys.ts'
import type { Clock } from '../src/clock.ts'

export const SEED = new Uint8Array(32).fill(7)

/** A clock that moves only by `advanceSecs`. */
export class TestClock implements Clock {
  #ms = Date.UTC(2026, 10, 21)
  readonly #sleepers = new Set<{ readonly untilMs: number; readonly resolve: () => void }>()

  nowMs(): number {
    return this.#ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const finish = () => {
        this.#sleepers.delete(sleeper)
        resolve()
      }
      const sleeper = { untilMs: this.#ms + ms, resolve: finish }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', finish, { once: true })
    })
  }

  /** Resolves when at least `count` sleeps are pending. Throws after 10 s of real time. */
  async sleepers(count: number): Promise<void> {
    const deadline = performance.now() + 10_000
    while (this.#sleepers.size < count) {
      if (performance.now() > deadline) throw new Error(`fewer than ${count} pending sleeps after 10 s`)
      await nextTurn()
    }
  }

  advanceSecs(secs: number): void {
    this.#ms += secs * 1000
    for (const { untilMs, resolve } of [...this.#sleepers]) if (untilMs <= this.#ms) resolve()
  }
}

export const merchantKey: IncomingViewingKey = parseViewingKey(demoViewingKey(SEED)).orchard!

export function merchantAddress(index = 0n): string {
  return encodeAddress('regtest', orchardReceiver(merchantKey, index))
}

export function paymentUri(amount: bigint, index = 0n, memo = 'an invoice'): string {
  return formatPaymentUri({ address: merchantAddress(index), amount, memo })
}
