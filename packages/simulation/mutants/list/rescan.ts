import type { Change } from '../mutant.ts'

export const RESCAN: readonly Change[] = [
  {
    name: 'a rescan scans only with the keys that are scanned now',
    file: 'workers/chain/rescan.ts',
    in: 'rescan',
    find: '() => deps.scanKeys.all()',
    replace: 'read => deps.scanKeys.watchedAt(read.at(-1)!.time + 30 * 86_400)',
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'a rescan finds a missed payment of a key that is no longer watched',
    },
    needs: ['operator'],
    withinSeeds: 1_000,
  },
]
