import type { World } from '../../world/world.ts'
import { isKeyLeftOut, isLeftOut } from '../poison/ledger.ts'
import { type InvoiceRow, isKeyDeleted, readLedger } from './ledger.ts'
import type { PaymentEvidence } from './payment-evidence.ts'
import { short } from './shop.ts'
import { isEnough } from './terms-judge.ts'

/** An invoice expires this long after its time, in seconds, when nothing fails. */
const EXPIRY_DELAY_SECS = 60

/**
 * Why the invoices have not settled: amounts and statuses that the present chain does not justify. Called after all
 * faults have ended.
 */
export function unsettledInvoice(world: World, evidence: PaymentEvidence): string | null {
  const ledger = readLedger(world)
  const { network, nowSecs } = world
  if (ledger.tip !== network.height) return `the recorded chain ends at ${ledger.tip}, the network at ${network.height}`
  for (const invoice of ledger.invoices) {
    if (isLeftOut(world, 'invoice', invoice.public_id) || isKeyLeftOut(world, invoice.viewing_key_id)) continue
    const about = `invoice ${short(invoice.public_id)} is ${invoice.status} with ${invoice.received_zat} zat`
    const isInTime = (txid: string) => isWatched(world, invoice, txid)
    const possible = evidence.paidBy(invoice, txid => confirmations(world, txid) >= 0)
    const received = evidence.paidBy(invoice, txid => confirmations(world, txid) >= 0 && isInTime(txid))
    if (invoice.received_zat < received || invoice.received_zat > possible)
      return `${about}, although ${received} were received`
    const confirmed = evidence.paidBy(
      invoice,
      txid => confirmations(world, txid) >= Number(invoice.confirmations) && isInTime(txid),
    )
    if (isEnough(invoice, confirmed) && invoice.status !== 'paid') return `${about}, although it is paid`
    const overdue = Number(invoice.expires_at) + EXPIRY_DELAY_SECS < nowSecs && invoice.kept_open === 0n
    const waits = ledger.payments
      .get(invoice.id)
      ?.some(({ location, txid }) => location === 'dropped' && world.network.mayBeMined(txid))
    if (overdue && !waits && invoice.status === 'pending') return `${about}, although it is overdue`
  }
  return null
}

/** An invoice whose payments the network has, without the service having recorded them all. */
export function unreportedPayment(world: World, evidence: PaymentEvidence): string | null {
  const { tip, invoices } = readLedger(world)
  // Servers that are behind the recorded chain are not asked for their mempool.
  if (tip > world.network.height) return null
  for (const invoice of invoices) {
    if (isLeftOut(world, 'invoice', invoice.public_id) || isKeyLeftOut(world, invoice.viewing_key_id)) continue
    const received = evidence.paidBy(
      invoice,
      txid => confirmations(world, txid) >= 0 && !world.visibility.missed.has(txid) && isWatched(world, invoice, txid),
    )
    if (invoice.received_zat < received)
      return `invoice ${short(invoice.public_id)} has ${invoice.received_zat} of ${received} zat`
  }
  return null
}

/**
 * Whether a payment has to be found. Once the watch has ended, only payments mined before do. In a block that is dated
 * later, the clock of the service decides, which may have been ahead.
 */
function isWatched(world: World, { watch_until: until, viewing_key_id: keyId }: InvoiceRow, txid: string): boolean {
  const { network, nowSecs, maxClockAheadMs } = world
  // A payment that a scanner, or on a regtest a stalled server, has not shown before the key was deleted is not found later.
  if (isKeyDeleted(world, keyId)) return false
  const height = network.minedAt(txid)
  if (height === null) return nowSecs <= Number(until)
  return network.branch[height]!.time <= Number(until) || nowSecs + maxClockAheadMs / 1000 <= Number(until)
}

/** 0 in the mempool; -1 when no node has the transaction. */
function confirmations({ network }: World, txid: string): number {
  const height = network.minedAt(txid)
  if (height !== null) return network.height - height + 1
  return network.mempool.has(txid) ? 0 : -1
}
