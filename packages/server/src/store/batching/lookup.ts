import type { Lookup, Store } from '../../ports.ts'
import { type GatherLimits, gather } from './batch-loader.ts'

/** Looks up together, by one glance, what is asked for at the same time. */
export function createLookup(glance: Store['glance'], limits: GatherLimits): Lookup {
  return {
    invoice: gather(async publicIds => {
      const found = await glance(rows => rows.invoices.byPublicIds(publicIds))
      const byId = new Map(found.map(invoice => [invoice.publicId, invoice]))
      return publicIds.map(publicId => byId.get(publicId) ?? null)
    }, limits),

    apiKey: gather(async hashes => {
      const found = await glance(rows => rows.apiKeys.authenticate(hashes))
      const byHash = new Map(found.map(({ hash, ...live }) => [hexOf(hash), live]))
      return hashes.map(hash => byHash.get(hexOf(hash)) ?? null)
    }, limits),
  }
}

function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')
}
