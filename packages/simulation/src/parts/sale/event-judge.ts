import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import { type EventRow, NewEvents } from '../event/new-events.ts'
import { causesOf, isSeenInNetChange } from './event-causes.ts'
import type { InvoiceRow } from './ledger.ts'
import { short } from './shop.ts'

/** An event of a refund tells nothing of its invoice. */
const REFUND_UPDATED = 'refund.updated'
const DAY_SECS = 86_400
const NEW_CHANGES = 'SELECT seq, invoice_id FROM invoice_changes WHERE seq > ? ORDER BY seq'

const NEWEST = "SELECT value AS seq FROM counters WHERE name = 'invoice_change_seq'"

/** A row of the changes that wake WebSockets. */
interface ChangeRow {
  readonly seq: bigint
  readonly invoice_id: bigint
}

/** The rows that a commit has written about invoices. */
export interface Written {
  readonly events: readonly EventRow[]
  readonly changes: readonly ChangeRow[]
}

/** Checks the events of invoices, and the log of their changes. */
export class EventJudge {
  readonly #world: World
  readonly #newEvents: NewEvents
  #lastSeq = 0n

  constructor(world: World) {
    this.#world = world
    this.#newEvents = new NewEvents(world)
    world.onRestore(() => {
      this.#lastSeq = 0n
    })
  }

  /** The rows written since the last call. @param isFirst nothing was judged before */
  readNew(isFirst: boolean): Written {
    const { database } = this.#world
    const changes = database.committed<ChangeRow>(NEW_CHANGES, this.#lastSeq)
    for (const { seq } of changes) {
      if (seq !== this.#lastSeq + 1n && !isFirst)
        this.#world.fail('changes are numbered in the order of the commits', `${seq} follows ${this.#lastSeq}`)
      this.#lastSeq = seq
    }
    // A copy may no longer have the rows of its last numbers.
    if (isFirst) this.#lastSeq = database.committed<{ seq: bigint }>(NEWEST)[0]?.seq ?? this.#lastSeq
    return { events: this.#newEvents.read(), changes }
  }

  /** Each event has its cause in the same commit, and each cause its event. @param before undefined: it is new */
  check(before: InvoiceRow | undefined, invoice: InvoiceRow, { events, changes }: Written): void {
    const own = events.filter(({ invoice_id, type }) => invoice_id === invoice.id && type !== REFUND_UPDATED)
    const changed = before && (before.status !== invoice.status || before.received_zat !== invoice.received_zat)
    if (changed && !changes.some(({ invoice_id }) => invoice_id === invoice.id))
      this.#fail('a change of an invoice wakes its WebSockets', invoice)
    if (invoice.purpose === 'sale') this.#checkSale(before, invoice, own)
    else if (own.length > 0) this.#fail('only a sale has events of its invoice', invoice, own[0]?.type)
  }

  #checkSale(before: InvoiceRow | undefined, invoice: InvoiceRow, own: readonly EventRow[]): void {
    const isAlone = this.#world.useCases === 1
    const count = (type: string) => own.filter(event => event.type === type).length
    const becomes = (status: string) => invoice.status === status && before?.status !== status
    if (count('invoice.paid') !== (becomes('paid') ? 1 : 0))
      this.#fail('invoice.paid is raised once, when the invoice is paid', invoice)
    // A shared commit may go on to another status.
    const wasUnderpaid = becomes('underpaid') || (!isAlone && invoice.underpaid_at !== null)
    const firstUnderpaid = wasUnderpaid && before?.underpaid_at == null
    if (count('invoice.underpaid') !== (firstUnderpaid ? 1 : 0)) this.#fail('invoice.underpaid is raised once', invoice)
    this.#checkCauses(causesOf(before, invoice), invoice, own)
    for (const { body, type } of own) {
      if (invoice.metadata !== null && !body.includes(`"metadata":${invoice.metadata}`))
        this.#fail('metadata comes back byte for byte', invoice, body)
      const { invoice_id: id, type: named, status, received_zat: received, overpaid_zat: overpaid } = JSON.parse(body)
      const isOfInvoice = named === type && id === invoice.public_id
      const isState =
        status === invoice.status &&
        BigInt(received) === invoice.received_zat &&
        BigInt(overpaid) === invoice.overpaid_zat
      if (!isOfInvoice || (isAlone && !isState)) this.#fail('an event contains the state of its commit', invoice, body)
    }
  }

  #checkCauses(causes: readonly string[], invoice: InvoiceRow, own: readonly EventRow[]): void {
    const types = own.flatMap(({ type }) => (type.startsWith('invoice.') ? [type] : []))
    const isExpected = (type: string) =>
      this.#isAlone || (isSeenInNetChange(type) && !this.#mayBeDeleted(type, invoice))
    const missing = causes.find(type => !types.includes(type) && isExpected(type))
    if (missing !== undefined) this.#fail('each cause has its event in the same commit', invoice, missing)
    if (!this.#isAlone) return
    const extra = types.find((type, index) => !causes.includes(type) || types.indexOf(type) !== index)
    if (extra !== undefined) this.#fail('each event has its cause in the same commit', invoice, extra)
  }

  /**
   * Whether the event of a new invoice may be deleted in a shared commit with it: its request began before its process stood
   * still for longer than events are kept.
   */
  #mayBeDeleted(type: string, { created_at: createdAt }: InvoiceRow): boolean {
    const days = this.#world.parts.flatMap(({ config }) => config?.eventRetentionDays ?? [])
    return type === 'invoice.created' && days.some(kept => Number(createdAt) + kept * DAY_SECS < this.#world.nowSecs)
  }

  /** A shared commit may hold several changes of an invoice. */
  get #isAlone(): boolean {
    return this.#world.useCases === 1
  }

  #fail(rule: Rule, { public_id: id }: InvoiceRow, detail = ''): void {
    this.#world.fail(rule, `invoice ${short(id)}${detail && `: ${detail}`}`)
  }
}
