import type { Services } from '../../src/container.ts'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'
import { testViewingKey } from './viewing-key.ts'

/** A merchant of a service, with its own viewing key. */
export interface KeyMerchant {
  readonly account: Account & { readonly viewingKeyId: number }
  /** dk ‖ ivk of the viewing key. */
  readonly incoming: Uint8Array
  sell(idempotencyKey?: string): Promise<Invoice>
  /** Whether the address belongs to the merchant's key, at the index of the invoice. */
  owns(invoice: Pick<Invoice, 'address' | 'diversifierIndex'>): boolean
}

/** Creates an account with the viewing key `testViewingKey(seed)`, as its owner does. */
export async function openMerchant(
  { accounts, viewingKeys, invoices }: Services,
  noteScanner: NoteScanner,
  seed: number,
): Promise<KeyMerchant> {
  const email = `shop${seed}@example.org`
  await accounts.findOrCreate(email)
  const text = testViewingKey(seed)
  const { account } = await viewingKeys.set(await accounts.setPlan(email, 'Business', null), text)
  const { incoming } = noteScanner.parseViewingKey(text)
  return {
    account: account as KeyMerchant['account'],
    incoming,
    sell: idempotencyKey => invoices.create(account, { amountZat: 5_000n, expiresInSecs: undefined, idempotencyKey }),
    owns({ address, diversifierIndex }) {
      const diversifier = noteScanner.diversifierOf(address)
      return diversifier !== null && noteScanner.diversifierIndexOf(incoming, diversifier) === diversifierIndex
    },
  }
}
