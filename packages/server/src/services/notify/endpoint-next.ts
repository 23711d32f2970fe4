import type { FollowingEndpoint } from '../../ports/repository/notify/endpoint.ts'
import type { Tx } from '../../ports/store.ts'
import { partsOf } from './endpoint-message.ts'

/** Numbers of events that are looked through at once for one to send. */
const WINDOW = 200
/** The number of events whose bodies are read at once. */
const READ = 20

interface NextEvent {
  /** Null: none in the part that was looked through. */
  readonly seq: number | null
  /** All events up to it were looked through. */
  readonly passedSeq: number
  /** Whether there may be further events. */
  readonly hasMore: boolean
}

/** The next event that the endpoint wants and has not been sent, and where its cursor then stands. */
export async function nextEvent(tx: Tx, endpoint: FollowingEndpoint): Promise<NextEvent> {
  const { accountId, cursorSeq, types } = endpoint
  const { lastSeq } = await tx.events.range(accountId)
  if (cursorSeq >= lastSeq) return { seq: null, passedSeq: cursorSeq, hasMore: false }
  const seqs = await tx.events.numbersAfter(accountId, cursorSeq, WINDOW, types)
  const taken = await tx.endpointDeliveries.takenAmong(endpoint.id, accountId, seqs)
  const untaken = seqs.filter(number => !taken.has(number))
  // In our own dialect each event is sent. In BTCPay's its body decides.
  const seq = endpoint.dialect === 'zatgate' ? untaken[0] : await firstWithMessage(tx, endpoint, untaken.slice(0, READ))
  const unread = endpoint.dialect === 'zatgate' ? undefined : untaken[READ]
  if (seq === undefined && unread !== undefined) return { seq: null, passedSeq: unread - 1, hasMore: true }
  const hasMore = seqs.length === WINDOW
  return { seq: seq ?? null, passedSeq: hasMore ? (seqs.at(-1) ?? lastSeq) : lastSeq, hasMore }
}

async function firstWithMessage(tx: Tx, endpoint: FollowingEndpoint, seqs: readonly number[]) {
  for (const seq of seqs) {
    const event = await tx.events.bySeq(endpoint.accountId, seq)
    if (event && partsOf(endpoint, event).length > 0) return seq
  }
  return undefined
}
