import type { Lookup, Store } from '../../ports/store.ts'
import { type BatchLimits, batchLoader } from './batch-loader.ts'

/** Lookups whose concurrent calls share one statement. */
export function createLookup(query: Store['query'], limits: BatchLimits): Lookup {
  return {
    invoice: batchLoader(async publicIds => {
      const found = await query(tx => tx.invoices.byPublicIds(publicIds))
      const byId = new Map(found.map(invoice => [invoice.publicId, invoice]))
      return publicIds.map(publicId => byId.get(publicId) ?? null)
    }, limits),

    apiKey: batchLoader(async hashes => {
      const found = await query(tx => tx.apiKeys.authenticate(hashes))
      const byHash = new Map(found.map(({ hash, ...live }) => [toHex(hash), live]))
      return hashes.map(hash => byHash.get(toHex(hash)) ?? null)
    }, limits),
  }
}

function toHex(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')
}
