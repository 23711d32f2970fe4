import type { EventRow } from '../../../src/parts/event/new-events.ts'
import { causesOf } from '../../../src/parts/sale/event-causes.ts'
import { SaleJudge } from '../../../src/parts/sale/judge.ts'
import type { InvoiceRow, PaymentRow } from '../../../src/parts/sale/ledger.ts'
import { runAs } from '../../../src/runtime/scheduler.ts'
import type { WorldTransaction } from '../../../src/world/chain/transaction.ts'
import { Visibility } from '../../../src/world/chain/visibility.ts'
import { createServer, START_SECS, transaction } from '../../world/laboratory.ts'
import { createFakeWorld, eventRow } from '../fake-world.ts'

/** Pays the whole invoice of the tests. */
export const PAYMENT: WorldTransaction = transaction('payment')

/** A pending invoice over 100 zat with one required confirmation, at the address that `PAYMENT` pays. */
export const INVOICE: InvoiceRow = {
  id: 1n,
  public_id: 'invoice-1',
  account_id: 1n,
  viewing_key_id: 1n,
  purpose: 'sale',
  address: 'utest1 uview-1 1',
  amount_zat: 100n,
  open_amount: null,
  tolerance_bps: null,
  price: null,
  rate: null,
  metadata: null,
  own_confirmations: null,
  canceled_at: null,
  confirmations: 1n,
  status: 'pending',
  received_zat: 0n,
  due_zat: 100n,
  overpaid_zat: 0n,
  created_at: BigInt(START_SECS),
  expires_at: BigInt(START_SECS + 900),
  watch_until: BigInt(START_SECS + 90_000),
  needs_attention: 0n,
  underpaid_at: null,
  kept_open: 0n,
  swap_id: null,
}

/** The row of `PAYMENT` in the mempool. */
export const ROW: PaymentRow = {
  id: 1n,
  invoice_id: 1n,
  txid: PAYMENT.txid,
  pool: 'ironwood',
  output_index: 0n,
  value_zat: 100n,
  location: 'mempool',
  height: null,
  vanished_since: null,
  awaits_witness: 0n,
}

/** The contents of the database after a commit. */
interface State {
  readonly invoices: readonly InvoiceRow[]
  readonly payments?: readonly PaymentRow[]
  /** The events that are new in the commit. Default: those that the changes of the invoices cause. */
  readonly events?: readonly EventRow[]
  /** Whether the changes of the invoices are in their log. Default: true. */
  readonly isLogged?: boolean
}

const PROCESS = { name: 'process 1', alive: true, clock: { errorMs: 0 } }

/** A judge of a world with one chain server, whose database has the rows that the test gives. */
export function createJudge() {
  const { world, broken, tables, restore } = createFakeWorld()
  const { network, scheduler, served, server, client, signal } = createServer()
  const visibility = new Visibility(network, [server])
  Object.assign(world, {
    network,
    scheduler,
    served,
    visibility,
    committer: PROCESS,
    setup: { network: 'test' },
    parts: [],
    useCases: 1,
    clocksChangedMs: Number.NEGATIVE_INFINITY,
  })
  const judge = new SaleJudge(world)
  let known: ReadonlyMap<bigint, InvoiceRow> = new Map()
  let seq = 0n
  let changes = 0n

  /** Judges a commit after which the database contains this. Returns the rules that it breaks. */
  function commit({ invoices, payments = [], events, isLogged = true }: State): string[] {
    broken.length = 0
    const headers = network.branch.map(({ height, hash, time }) => ({
      height: BigInt(height),
      hash,
      time: BigInt(time),
    }))
    tables['FROM headers ORDER'] = headers.toReversed()
    tables['FROM headers WHERE'] = headers.toReversed()
    tables['FROM invoices'] = invoices
    tables['FROM payments'] = payments
    const caused = invoices.flatMap(invoice =>
      causesOf(known.get(invoice.id), invoice).map(type => eventOf(++seq, type, invoice)),
    )
    const raised = events ?? caused
    seq = raised.at(-1)?.seq ?? seq
    tables['FROM events'] = raised
    const logged = isLogged ? invoices : []
    tables['FROM invoice_changes'] = logged.map(({ id }) => ({ seq: ++changes, invoice_id: id }))
    known = new Map(invoices.map(invoice => [invoice.id, invoice]))
    tables['FROM viewing_keys'] = [{ watch_until: 10n ** 12n }]
    judge.check()
    return [...broken]
  }

  /** Broadcasts a transaction, and lets the service read it in the mempool. */
  async function show(shown: WorldTransaction): Promise<void> {
    network.broadcast(shown)
    visibility.update(scheduler.nowMs)
    scheduler.advance(2_000)
    await read('mempool', 'tip')
  }

  /** The service reads from the server, in this order. */
  async function read(...order: readonly ('mempool' | 'tip')[]): Promise<void> {
    await runAs(PROCESS, async () => {
      for (const what of order) await client[what](signal)
    })
  }

  /** The service compares the server with others. */
  async function compare(): Promise<void> {
    const { signal: deadline } = new AbortController()
    await runAs(PROCESS, async () => {
      await client.inspect(deadline)
      await client.mempool(deadline)
    })
  }

  /** Another client reads the mempool while it is in a block, which is gone again at once. */
  function readByOthersInBlock(): void {
    network.mine(START_SECS)
    server.readByOthers()
    network.removeBlocks(1, () => true)
    visibility.update(scheduler.nowMs)
  }

  /** Mines the mempool, and lets the service read the block. */
  async function mine(): Promise<bigint> {
    const { height } = network.mine(START_SECS)
    visibility.update(scheduler.nowMs)
    for await (const _ of client.blocks(height, height, signal));
    return BigInt(height)
  }

  return {
    world,
    judge,
    process: PROCESS,
    network,
    scheduler,
    visibility,
    commit,
    restore,
    show,
    mine,
    read,
    compare,
    readByOthersInBlock,
  }
}

/** An event of the invoice with its state. */
export function eventOf(seq: bigint, type: string, { id, public_id: publicId, ...state }: InvoiceRow): EventRow {
  const { status, received_zat: received, overpaid_zat: overpaid } = state
  const amounts = { received_zat: Number(received), overpaid_zat: Number(overpaid) }
  return eventRow(seq, type, { type, invoice_id: publicId, status, ...amounts }, id)
}
