import { randomBytes, randomUUID } from 'node:crypto'
import { createVault } from '../src/adapters/crypto/vault.ts'
import { systemRandom } from '../src/adapters/system/random.ts'
import type { Store } from '../src/ports/store.ts'
import { openStore } from '../src/store/open.ts'

export interface Shop {
  /** dk ‖ ivk */
  readonly incoming: Uint8Array
  /** The public ids of its invoices. Their diversifier indexes are 0, 1, … */
  readonly invoices: readonly string[]
}

export const AMOUNT_ZAT = 150_000_000n

const CONCURRENCY = 100

/**
 * Fills a new database with accounts that have a random viewing key and open invoices of AMOUNT_ZAT each.
 * @param key the encryption key of the service
 */
export async function addShops(
  url: string,
  key: Uint8Array,
  { shops, invoicesEach }: { readonly shops: number; readonly invoicesEach: number },
): Promise<Shop[]> {
  const store = await openStore(url)
  const vault = createVault([key], systemRandom)
  const now = Math.floor(Date.now() / 1000)
  const added: Shop[] = []
  for (let from = 0; from < shops; from += CONCURRENCY) {
    const numbers = Array.from({ length: Math.min(CONCURRENCY, shops - from) }, (_, i) => from + i)
    added.push(
      ...(await Promise.all(
        numbers.map(async number => {
          const shop = {
            incoming: randomIncoming(),
            invoices: Array.from({ length: invoicesEach }, () => randomUUID()),
          }
          const seal = (id: number) => vault.seal(shop.incoming, { table: 'viewing_keys', column: 'sealed', row: id })
          await addShop(store, number, now, shop, seal)
          return shop
        }),
      )),
    )
  }
  await store.close()
  return added
}

async function addShop(
  store: Store,
  number: number,
  now: number,
  { invoices }: Shop,
  seal: (id: number) => Uint8Array,
): Promise<void> {
  const draft = {
    publicId: randomUUID(),
    email: `shop${number}@example.org`,
    network: 'regtest',
    plan: 'Business',
  } as const
  const key = { fingerprint: randomBytes(32), network: 'regtest', createdAt: now, firstIndex: 1n } as const
  await store.write(async tx => {
    const account = await tx.accounts.insert({ ...draft, confirmations: 3, createdAt: now })
    const { id: viewingKeyId } = await tx.viewingKeys.findOrInsert(key, seal)
    await tx.accounts.setViewingKey(account!.id, viewingKeyId)
    await tx.viewingKeys.extendWatch(viewingKeyId, now + 86_400)
    for (const [index, publicId] of invoices.entries())
      await tx.invoices.insert({
        publicId,
        accountId: account!.id,
        viewingKeyId,
        diversifierIndex: BigInt(index),
        purpose: 'sale',
        address: `uregtest1${'q'.repeat(105)}`,
        amountZat: AMOUNT_ZAT,
        confirmations: 3,
        createdAt: now,
        expiresAt: now + 86_400,
        watchUntil: now + 8 * 86_400,
      })
  })
}

/** A random dk ‖ ivk. */
export function randomIncoming(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(64))
  bytes[63] = 1
  return bytes
}
