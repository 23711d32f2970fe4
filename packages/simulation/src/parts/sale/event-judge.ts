import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import type { EventRow, InvoiceRow } from './ledger.ts'
import { short } from './shop.ts'

/** An event of a refund tells nothing of its invoice. */
const REFUND_UPDATED = 'refund.updated'
const NEW_EVENTS = 'SELECT seq, invoice_id, type, body FROM events WHERE seq > ? ORDER BY seq'

/** Checks the events of the invoices, and the order of all events. */
export class EventJudge {
  readonly #world: World
  #lastSeq = 0n

  constructor(world: World) {
    this.#world = world
  }

  restored(): void {
    this.#lastSeq = 0n
  }

  /** The events of the commit, and of those since the last call of `checkOrder`. */
  readNew(): EventRow[] {
    return this.#world.database.committed<EventRow>(NEW_EVENTS, this.#lastSeq)
  }

  /** Every visible change has its event in the same commit, and every event its change. */
  check(before: InvoiceRow, invoice: InvoiceRow, events: readonly EventRow[]): void {
    const own = events.filter(({ invoice_id, type }) => invoice_id === invoice.id && type !== REFUND_UPDATED)
    const changed = before.status !== invoice.status || before.received_zat !== invoice.received_zat
    if (changed && own.length === 0) this.#fail('a change and its event are one commit', invoice)
    if (invoice.purpose !== 'sale') return
    const count = (type: string) => own.filter(event => event.type === type).length
    const becomes = (status: string) => invoice.status === status && before.status !== status
    if (count('invoice.paid') !== (becomes('paid') ? 1 : 0))
      this.#fail('invoice.paid is raised once, when the invoice is paid', invoice)
    // A shared commit may go on to another status.
    const wasUnderpaid = becomes('underpaid') || (this.#world.useCases > 1 && invoice.underpaid_at !== null)
    const firstUnderpaid = wasUnderpaid && before.underpaid_at === null
    if (count('invoice.underpaid') !== (firstUnderpaid ? 1 : 0)) this.#fail('invoice.underpaid is raised once', invoice)
    for (const { body, type } of own) {
      if (body === null || type === null) continue
      if (invoice.metadata !== null && !body.includes(`"metadata":${invoice.metadata}`))
        this.#fail('metadata comes back byte for byte', invoice, body)
      if (!type.startsWith('invoice.')) continue
      const { status, received_zat: received } = JSON.parse(body)
      if (this.#world.useCases === 1 && (status !== invoice.status || BigInt(received) !== invoice.received_zat))
        this.#fail('an event contains the state of its commit', invoice, body)
    }
  }

  /** The order of the events is the order of the commits. @param isFirst nothing was judged before */
  checkOrder(events: readonly EventRow[], isFirst: boolean): void {
    for (const { seq } of events) {
      if (seq !== this.#lastSeq + 1n && !isFirst)
        this.#world.fail('events are numbered in the order of the commits', `${seq} follows ${this.#lastSeq}`)
      this.#lastSeq = seq
    }
  }

  #fail(rule: Rule, { public_id: id }: InvoiceRow, detail = ''): void {
    this.#world.fail(rule, `invoice ${short(id)}${detail && `: ${detail}`}`)
  }
}
