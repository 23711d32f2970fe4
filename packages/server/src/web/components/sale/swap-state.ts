import { formatUnits } from '../../../domain/money.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import type { SwapStatus } from '../../../domain/sale/swap.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import type { Html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'
import { stepList } from '../buyer/steps.ts'
import { priceIn } from '../buyer/sum.ts'

/** The title and the text that a buyer sees for each status. */
export const SWAP_STATES: Readonly<Record<SwapStatus, { readonly title: MessageName; readonly text: MessageName }>> = {
  PENDING_DEPOSIT: { title: 'swap_send_title', text: 'swap_send' },
  KNOWN_DEPOSIT_TX: { title: 'swap_detected_title', text: 'swap_detected' },
  INCOMPLETE_DEPOSIT: { title: 'swap_small_title', text: 'swap_small' },
  PROCESSING: { title: 'swap_running_title', text: 'swap_running' },
  SUCCESS: { title: 'swap_done_title', text: 'swap_done' },
  REFUNDED: { title: 'swap_refunded_title', text: 'swap_refunded' },
  FAILED: { title: 'swap_failed_title', text: 'swap_failed' },
}

const STEPS = ['swap_step_deposit', 'swap_step_detected', 'swap_step_swapping', 'swap_step_paid'] as const

/** The step that each status is in. A refunded or failed swap is in none. */
const REACHED: Readonly<Partial<Record<SwapStatus, number>>> = {
  PENDING_DEPOSIT: 0,
  INCOMPLETE_DEPOSIT: 0,
  KNOWN_DEPOSIT_TX: 1,
  PROCESSING: 2,
  SUCCESS: 3,
}

/** The way of a swap: deposit, detected, swapping, paid. */
export function swapSteps(text: Text, { status }: Pick<Swap, 'status'>): Html | false {
  const reached = REACHED[status]
  if (reached === undefined) return false
  const state = (step: number) => (step < reached ? 'done' : step === reached ? 'now' : 'ahead')
  return stepList(
    text,
    STEPS.map((name, step) => [text.say(name), state(step)]),
  )
}

/** An amount of the swap's asset: `0.00042581 BTC`. */
export function amountIn(text: Text, { decimals, symbol }: Pick<Swap, 'decimals' | 'symbol'>, amount: bigint): string {
  return text.money(formatUnits(amount, decimals), symbol)
}

/** The amount of the invoice: its price in money, or in ZEC. */
export function costOf(text: Text, invoice: Invoice): string {
  return priceIn(text, invoice) ?? text.zec(invoice.amountZat)
}

/** The rest of a deposit that is too small, in smallest units. Null: not known. */
export function restOfDeposit({ status, deposit, amountIn }: Swap): bigint | null {
  const { deposited } = deposit
  if (status !== 'INCOMPLETE_DEPOSIT' || deposited === null || deposited >= amountIn) return null
  return amountIn - deposited
}
