import type { World } from '../../world/world.ts'
import type { InvoiceRow } from './ledger.ts'

/** The log has this many characters of the id of an invoice. */
const LOGGED_LENGTH = 8
const MESSAGE = 'the status of an invoice changed'
const SYNCED_THROUGH = 'SELECT min(synced_through) AS least FROM watchers'

interface Reported {
  /** The first characters of its id. */
  readonly invoice: string
  readonly status: string
  readonly because: string
}

/** Compares the reason that the service logs with each change of a status with the rows of the commit. */
export class ReasonJudge {
  readonly #world: World
  /** The possible reasons of each status that an invoice got, by `<first characters of its id> <status>`. */
  readonly #possible = new Map<string, Set<string>>()

  constructor(world: World) {
    this.#world = world
  }

  /** Called after the commit that gave an invoice another status. */
  noteChange(invoice: InvoiceRow): void {
    const key = `${invoice.public_id.slice(0, LOGGED_LENGTH)} ${invoice.status}`
    const known = this.#possible.get(key) ?? new Set()
    this.#possible.set(key, known)
    for (const reason of this.#reasonsOf(invoice)) known.add(reason)
  }

  /** A status that a shared commit has replaced at once is not known. */
  noteLog(details: object, message: string): void {
    if (message !== MESSAGE) return
    const { invoice, status, because } = details as Reported
    const possible = this.#possible.get(`${invoice} ${status}`)
    if (possible && !possible.has(because))
      this.#world.fail(
        'a status has the reason that is logged',
        `invoice ${invoice} is ${status}: ${because}, not ${[...possible].join(' or ')}`,
      )
  }

  #reasonsOf(invoice: InvoiceRow): string[] {
    const { status, canceled_at: canceledAt, amount_zat: amount, received_zat: received } = invoice
    if (status === 'detected') return ['unconfirmed']
    if (status === 'expired' || status === 'underpaid') return [canceledAt === null ? 'expired' : 'canceled']
    if (status === 'pending') return this.#openReasonsOf(invoice)
    // A shared commit may also hold the reorganisation that removed a payment.
    const paid = ['confirmed', 'within_tolerance']
    return this.#world.useCases > 1 ? [...paid, 'payments_removed'] : [paid[received < amount ? 1 : 0]!]
  }

  #openReasonsOf({ expires_at: expiresAt, kept_open: keptOpen }: InvoiceRow): string[] {
    const [row] = this.#world.database.committed<{ least: bigint }>(SYNCED_THROUGH)
    if ((row?.least ?? 0n) < expiresAt) return ['before_expiry']
    const [bySwap, byPayment] = ['swap_keeps_open', 'dropped_payment_keeps_open']
    // A shared commit may also hold a later report of the provider.
    const reasons = this.#world.useCases > 1 ? [bySwap, byPayment] : [keptOpen === 1n ? bySwap : byPayment]
    // A clock that is behind knows the chain only up to its own time.
    return ['before_expiry', ...reasons]
  }
}
