import { AppError } from '@zatgate/server/domain/error'
import type { EventType } from '@zatgate/server/domain/notify/event'
import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure, type Merchant } from '../sale/shop.ts'
import type { Asked, FeedJudge } from './feed-judge.ts'

/** Program of a shop that follows the events of its account. */
interface Reader {
  readonly merchant: Merchant
  readonly types: readonly EventType[] | undefined
  /** The account, once it is known. */
  accountId: bigint | null
  /** The number of the last event that it has passed. */
  after: number | undefined
  isReading: boolean
  /** How often it had to begin again. */
  beginnings: number
}

const TYPES: readonly (readonly EventType[] | undefined)[] = [
  undefined,
  undefined,
  ['invoice.paid'],
  ['invoice.created', 'invoice.paid', 'invoice.underpaid'],
  ['invoice.detected', 'invoice.part_paid', 'invoice.expired', 'plan.updated'],
]
const MAX_READERS = 6
/** Between two requests of a reader, at last. */
const PAUSE_MS = 5_000

/** Readers of the feed. Each goes on after what it has read, whatever happens to the service. */
export class Readers {
  readonly #world: World
  readonly #judge: FeedJudge
  readonly #readers: Reader[] = []

  constructor(world: World, judge: FeedJudge) {
    this.#world = world
    this.#judge = judge
  }

  get actions(): readonly Action[] {
    return [
      action('read the events', 8, draw => {
        if (this.#world.running.length === 0) return undefined
        const reader = this.#pick(draw)
        this.#read(draw, reader)
        return `${reader.merchant.name} reads its events after ${reader.after ?? 'the beginning'}`
      }),
      action('read the events in several programs at once', 3, draw => {
        if (this.#world.running.length === 0) return undefined
        this.readAll(draw)
        return `${this.#readers.length} programs read events`
      }),
    ]
  }

  /** Every reader reads, and one more. */
  readAll(draw: Draw): void {
    this.#pick(draw)
    for (const reader of this.#readers) this.#read(draw, reader)
  }

  /** A copy that looks like the original has replaced the database: the operator tells the shops to begin again. */
  beginAgain(): void {
    for (const reader of this.#readers) {
      reader.after = undefined
      reader.beginnings += 1
    }
  }

  /** From now on all readers go on by themselves. */
  heal(draw: Draw): void {
    for (const reader of this.#readers) this.#read(draw, reader)
    if (this.#readers.length > 0) this.#world.scheduler.startTimer(PAUSE_MS, () => this.heal(draw))
  }

  /** Why the readers have not read everything; null when they have. */
  unsettled(): string | null {
    const behind = this.#readers.find(
      ({ accountId, after, types }) =>
        accountId !== null && this.#judge.hasUnread(accountId, after === undefined ? undefined : BigInt(after), types),
    )
    return behind ? `${behind.merchant.name} has not read all of its events after ${behind.after}` : null
  }

  #pick(draw: Draw): Reader {
    if (this.#readers.length > 0 && (this.#readers.length >= MAX_READERS || draw.chance(0.7)))
      return draw.pick(this.#readers)
    const merchant = draw.pick(this.#world.shop.merchants)
    const reader: Reader = {
      merchant,
      types: draw.pick(TYPES),
      accountId: null,
      after: undefined,
      isReading: false,
      beginnings: 0,
    }
    this.#readers.push(reader)
    return reader
  }

  #read(draw: Draw, reader: Reader): void {
    if (reader.isReading || this.#world.running.length === 0) return
    reader.isReading = true
    this.#world.client('read the events', () =>
      this.#request(draw, reader).finally(() => {
        reader.isReading = false
      }),
    )
  }

  async #request(draw: Draw, reader: Reader): Promise<void> {
    const { after, types, merchant, beginnings } = reader
    const replacements = this.#world.databaseReplacements
    const limit = draw.pick([1, 2, 5, 50])
    const waitMs = draw.pick([0, 0, 0, 2_000, 30_000])
    const isByEvent = draw.chance(0.3)
    const newest = this.#judge.newestOf(reader.accountId)
    const askedOf = (accountId: bigint): Asked => {
      return { accountId, after: after === undefined ? undefined : BigInt(after), types, replacements, newest }
    }
    try {
      const page = await draw.pick(this.#world.running).call(async ({ accounts, eventFeed }) => {
        const account = await accounts.findByEmail(merchant.email)
        reader.accountId = BigInt(account.id)
        return eventFeed.read(account, { after, types, limit, waitMs }, new AbortController().signal)
      })
      if (reader.accountId === null || beginnings !== reader.beginnings) return
      const events = page.events.map(({ seq, publicId, type, body }) => {
        return { seq: BigInt(seq), public_id: publicId, type, body }
      })
      this.#judge.received(askedOf(reader.accountId), { events, nextAfter: BigInt(page.nextAfter) })
      if (events.length > 0) this.#world.transition('reader', 'following', 'events')
      const last = page.events.at(-1)
      reader.after = isByEvent && last ? last.seq : page.nextAfter
    } catch (error) {
      if (!isExpectedFailure(error)) throw error
      if (reader.accountId === null || beginnings !== reader.beginnings || !(error instanceof AppError)) return
      this.#refused(reader, askedOf(reader.accountId), error)
    }
  }

  #refused(reader: Reader, asked: Asked, { code, extra }: AppError): void {
    this.#world.transition('reader', 'following', code)
    if (code === 'events_pruned') {
      const firstSeq = Number(extra.first_seq)
      this.#judge.refused(asked, BigInt(firstSeq))
      reader.after = firstSeq - 1
    }
    if (code === 'invalid_after') this.#judge.unknown(asked)
  }
}
