import type { CheckoutState } from '../../../domain/sale/checkout.ts'
import { type Html, html } from '../../html.ts'

const CLOCK = 'M24 15v9l6 4'
const TICK = 'M15 25l6 6 12-13'
const CROSS = 'M17 17l14 14M31 17L17 31'

const MARKS: Readonly<Partial<Record<CheckoutState, readonly [kind: string, path: string]>>> = {
  confirming: ['wait', CLOCK],
  paid: ['good', TICK],
  late: ['wait', CLOCK],
  settled: ['good', TICK],
  canceled: ['bad', CROSS],
  over: ['bad', CROSS],
}

/** A picture of the state. False while there is something to pay. */
export function mark(state: CheckoutState): Html | false {
  const found = MARKS[state]
  if (!found) return false
  const [kind, path] = found
  return html`<svg class="mark mark-${kind}" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="${path}"/></svg>`
}
