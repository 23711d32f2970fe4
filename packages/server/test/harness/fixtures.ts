import { createHash, randomUUID } from 'node:crypto'
import type { Account } from '../../src/domain/account/account.ts'
import type { Header } from '../../src/domain/chain/chain.ts'
import type { Invoice, NewInvoice } from '../../src/domain/sale/invoice.ts'
import type { ViewingKeyRow } from '../../src/ports/repository/account/viewing-key.ts'
import type { ChangeCursor, NewInvoiceChange } from '../../src/ports/repository/notify/invoice-change.ts'
import type { NewPayment } from '../../src/ports/repository/sale/payment.ts'
import type { Store } from '../../src/ports/store.ts'

/** Before the first change. */
export const FIRST_CURSOR: ChangeCursor = { seq: 0, change: null }

/** The time of the tests, in Unix seconds. */
export const NOW = 1_800_000_000

export function hashOf(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest())
}

/** Inserts an account. */
export async function makeAccount(
  store: Store,
  email = `${randomUUID()}@example.com`,
  publicId: string = randomUUID(),
): Promise<Account> {
  const account = await store.write(tx =>
    tx.accounts.insert({
      publicId,
      email,
      network: 'regtest',
      confirmations: 3,
      plan: 'Free',
      createdAt: NOW,
    }),
  )
  if (!account) throw new Error(`${email} already has an account`)
  return account
}

/** Inserts a viewing key. */
export function makeViewingKey(
  store: Store,
  name = randomUUID() as string,
  fingerprint = hashOf(name),
): Promise<ViewingKeyRow> {
  const key = { fingerprint, network: 'regtest', createdAt: NOW, firstIndex: 1n } as const
  return store.write(tx => tx.viewingKeys.findOrInsert(key, id => Uint8Array.of(id)))
}

/** Reserves diversifier indexes. @returns the first one */
export async function reserveIndexes(store: Store, viewingKeyId: number, count: number): Promise<bigint> {
  return (await store.write(tx => tx.viewingKeys.reserveIndexes(viewingKeyId, count))).first
}

/** An account with a viewing key, and its invoices. */
export interface Shop {
  readonly account: Account
  readonly viewingKey: ViewingKeyRow
  /** The next invoice to insert, with optional terms. */
  draft(terms?: Partial<NewInvoice>): NewInvoice
  sell(terms?: Partial<NewInvoice>): Promise<Invoice>
}

/** @param same a shop of another database, whose account and viewing key this one has too */
export async function openShop(store: Store, same?: Pick<Shop, 'account' | 'viewingKey'>): Promise<Shop> {
  const account = await makeAccount(store, same?.account.email, same?.account.publicId)
  const viewingKey = await makeViewingKey(store, undefined, same?.viewingKey.fingerprint)
  let index = 0n
  const draft = (terms: Partial<NewInvoice> = {}): NewInvoice => ({
    publicId: randomUUID(),
    accountId: account.id,
    viewingKeyId: viewingKey.id,
    diversifierIndex: index++,
    purpose: 'sale',
    address: 'uregtest1…',
    amountZat: 5_000n,
    confirmations: 3,
    createdAt: NOW,
    expiresAt: NOW + 900,
    watchUntil: NOW + 86_400,
    ...terms,
  })
  return { account, viewingKey, draft, sell: terms => store.write(tx => tx.invoices.insert(draft(terms))) }
}

export function payment(invoice: Invoice, terms: Partial<NewPayment> = {}): NewPayment {
  return {
    invoiceId: invoice.id,
    txid: 'aa'.repeat(32),
    pool: 'ironwood',
    outputIndex: 0,
    valueZat: 5_000n,
    location: { at: 'mempool' },
    expiryHeight: null,
    seenAt: NOW,
    lastSeenHeight: 4,
    ...terms,
  }
}

/** A change that wakes the WebSockets of the invoice. */
export function moved(invoice: Invoice): NewInvoiceChange {
  return { invoiceId: invoice.id, createdAt: NOW }
}

export function header(height: number): Header {
  return {
    height,
    hash: toHash(height),
    prevHash: toHash(height - 1),
    time: NOW + height * 25,
    treeSizes: { sapling: height, orchard: 2 * height, ironwood: 3 * height },
  }
}

function toHash(height: number): string {
  return height.toString(16).padStart(64, '0')
}
