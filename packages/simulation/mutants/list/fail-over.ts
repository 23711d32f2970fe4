import type { Mutant } from '../mutant.ts'

/** Mutants of the state that a process keeps from a lost database after an older one has taken its place. */
export const FAIL_OVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'a cached address is trusted by the row id of its viewing key',
    theme: 'addresses and copies',
    file: 'domain/viewing-key.ts',
    find: 'one.accountPublicId === other.accountPublicId && Buffer.compare(one.fingerprint, other.fingerprint) === 0',
    replace: 'one.accountPublicId === other.accountPublicId',
    needs: ['postgres', 'operator'],
    withinSeeds: 5_000,
  },
  {
    name: 'an unsealed viewing key is trusted by its row id',
    theme: 'addresses and copies',
    file: 'services/scan-key.ts',
    find: 'if (known && Buffer.compare(known.fingerprint, fingerprint) === 0) return known',
    replace: 'if (known) return known',
    needs: ['postgres', 'operator'],
    withinSeeds: 10_000,
  },
  {
    name: 'open WebSockets keep their position in the events of a lost database',
    theme: 'addresses and copies',
    file: 'store/repository/event.ts',
    find: 'if (cursor.seq > 0 && !isContinued) return null',
    replace: 'if (cursor.seq < 0 && !isContinued) return null',
    needs: ['postgres', 'operator', 'websocket'],
    withinSeeds: 20_000,
  },
  {
    name: 'the WebSocket of a lost invoice reports the invoice that has its row id',
    theme: 'addresses and copies',
    file: 'http/websocket/change-reader.ts',
    find: 'if (publicId !== invoice.publicId)',
    replace: "if (publicId === '')",
    needs: ['postgres', 'operator', 'websocket'],
    withinSeeds: 20_000,
  },
]
