import type { Lookup, Store } from '../../ports/store.ts'
import { type BatchLimits, batchLoader } from './batch-loader.ts'

/** Lookups whose concurrent calls share one statement. */
export function createLookup(query: Store['query'], limits: BatchLimits): Lookup {
  return {
    invoice: batchLoader(async publicIds => {
      const found = await query(tx => tx.invoices.byPublicIds([...new Set(publicIds)]))
      const byId = new Map(found.map(invoice => [invoice.publicId, invoice]))
      return publicIds.map(publicId => byId.get(publicId) ?? null)
    }, limits),

    apiKey: batchLoader(async hashes => {
      const names = hashes.map(toHex)
      const distinct = new Map(names.map((name, index) => [name, hashes[index]!]))
      const found = await query(tx => tx.apiKeys.authenticate([...distinct.values()]))
      const byHash = new Map(found.map(({ hash, ...live }) => [toHex(hash), live]))
      return names.map(name => byHash.get(name) ?? null)
    }, limits),

    storeProfile: batchLoader(async accountIds => {
      const found = await query(tx => tx.storeProfiles.ofAccounts(accountIds))
      return accountIds.map(accountId => found.get(accountId) ?? null)
    }, limits),
  }
}

function toHex(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')
}
