import type { Rule } from '../../rules.ts'
import type { SwapProviderServer } from '../../world/swap-provider/provider.ts'
import type { World } from '../../world/world.ts'
import { type EventRow, NewEvents } from '../event/new-events.ts'
import { short } from '../sale/shop.ts'
import { hasDeposit, type SwapChange } from './ledger.ts'

const OUTCOMES: Readonly<Record<string, string>> = {
  'swap.refunded': 'REFUNDED',
  'swap.failed': 'FAILED',
  'swap.incomplete_deposit': 'INCOMPLETE_DEPOSIT',
}
const SWAP_UPDATED = 'swap.updated'

interface EventBody {
  readonly invoice_id: string
  readonly swap: {
    readonly asset: string
    readonly blockchain: string
    readonly amount_in_formatted: string
    readonly status: string
  } | null
}

/** Checks the events about swaps after every commit. */
export class SwapEventJudge {
  readonly #world: World
  readonly #provider: SwapProviderServer
  /** The swap and the type of each raised event. */
  readonly #raised = new Set<string>()
  readonly #newEvents: NewEvents

  constructor(world: World, provider: SwapProviderServer) {
    this.#world = world
    this.#provider = provider
    this.#newEvents = new NewEvents(world)
    // The events are read again.
    world.onRestore(() => this.#raised.clear())
  }

  /** @param isComparable false for the first state after a restore */
  check(changes: readonly SwapChange[], isComparable: boolean): void {
    const events = this.#newEvents.read()
    for (const event of events) if (!isOfNoSwap(event)) this.#checkEvent(event, event.body, changes, isComparable)
    if (isComparable) for (const change of changes) this.#checkReported(change, events)
  }

  #checkEvent(
    { invoice_id: invoiceId, type }: EventRow,
    body: string,
    changes: readonly SwapChange[],
    isComparable: boolean,
  ): void {
    const { swap: named, invoice_id: publicId }: EventBody = JSON.parse(body)
    const outcome = OUTCOMES[type]
    if (!named) {
      if (type.startsWith('swap.')) this.#world.fail('an event of a swap names the swap', body)
      return
    }
    const change = changes.find(({ swap, invoice, order }) => {
      const amount = smallestUnits(named.amount_in_formatted, order.asset.decimals)
      return invoice.id === invoiceId && order.asset.assetId === named.asset && swap.amount_in === String(amount)
    })
    if (!change) {
      this.#world.fail('an event names a swap of its invoice', body)
      return
    }
    const { before, swap, order } = change
    const isNewStatus = before?.status !== swap.status
    const isStart = type === SWAP_UPDATED && before === undefined && named.status === 'PENDING_DEPOSIT'
    const given = this.#provider.answersAbout(order).some(({ state }) => state.status === named.status)
    if (!(given || isStart) || named.blockchain !== order.asset.blockchain || publicId !== change.invoice.public_id)
      this.#fail('an event tells what the provider has said', change, body)
    if (type === SWAP_UPDATED) {
      // A shared commit may hold several reports.
      const isWrong = this.#world.useCases === 1 && named.status !== swap.status
      if (isComparable && (!isNewStatus || isWrong))
        this.#fail('a status of a swap and its event are one commit', change, body)
      return
    }
    if (outcome === undefined) {
      if (!hasDeposit(named.status)) this.#fail('an invoice is paid by a swap with a deposit', change, body)
      return
    }
    if (named.status !== outcome) this.#fail('an event tells what the provider has said', change, body)
    const key = `${swap.public_id} ${type}`
    if (this.#raised.has(key)) this.#fail('an event of a swap is raised once', change, body)
    this.#raised.add(key)
    const changed = isNewStatus || before?.updated_at_ms !== swap.updated_at_ms
    if (isComparable && !changed) this.#fail('a status of a swap and its event are one commit', change, body)
  }

  /** Every change of a swap of a sale has an event, and every outcome one with a name. */
  #checkReported(change: SwapChange, events: readonly EventRow[]): void {
    const { before, swap, invoice } = change
    if (before?.status === swap.status || invoice.purpose !== 'sale') return
    const own = events.filter(event => event.invoice_id === invoice.id && event.type === SWAP_UPDATED)
    if (!own.some(({ body }) => (JSON.parse(body) as EventBody).swap?.status === swap.status))
      this.#fail('a status of a swap and its event are one commit', change, swap.status)
    const type = Object.keys(OUTCOMES).find(name => OUTCOMES[name] === swap.status)
    if (type !== undefined && !this.#raised.has(`${swap.public_id} ${type}`))
      this.#fail('every outcome of a swap has its event', change, type)
  }

  #fail(rule: Rule, { swap }: SwapChange, detail: string): void {
    this.#world.fail(rule, `swap ${short(swap.public_id)}: ${detail}`)
  }
}

/** Events of an account or of a refund, which has the id of its invoice too. */
function isOfNoSwap({ invoice_id: invoiceId, type }: EventRow): boolean {
  return invoiceId === null || type === 'refund.updated'
}

/** Reads a decimal number of an asset. */
function smallestUnits(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
