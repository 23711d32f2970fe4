import type { Change } from '../mutant.ts'

export const CLOCKS: readonly Change[] = [
  {
    name: 'a synced-through time ahead of the clock is accepted',
    file: 'domain/chain/chain-knowledge.ts',
    in: 'knownThrough',
    find: 'syncedThrough > now ? 0 : syncedThrough',
    replace: 'syncedThrough',
    killedBy: {
      file: 'domain/chain/chain-knowledge.test.ts',
      test: 'a synced time ahead of the clock, which a wrong clock wrote, counts as none',
    },
  },
  {
    name: 'a sync that a wrong clock has timed is recorded, since the clock is right again',
    file: 'domain/chain/chain-knowledge.ts',
    in: 'recordedThrough',
    find: ' || syncedThrough > now',
    replace: '',
    killedBy: {
      file: 'workers/chain/interruptions.test.ts',
      test: 'at every await of a sync with a server: a clock that was 7 days ahead is set right',
    },
  },
  {
    name: 'a synced-through time ahead of the clock is never moved back',
    file: 'store/repository/chain/chain.ts',
    in: 'setSyncedThrough',
    find: '[unixSecs, unixSecs, now]',
    replace: '[unixSecs, unixSecs, Number.MAX_SAFE_INTEGER]',
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'syncs with the clock 7 days ahead expire no invoice created after them, on regtest',
    },
    needs: ['regtest'],
    withinSeeds: 20_000,
  },
  {
    name: 'a plan ends while the clock and the chain differ by hours',
    file: 'services/account/billing.ts',
    in: 'expirePlans',
    find: 'ended.length > 0 && (await store.read(tx => clockIsRight(tx, now))) ? ended : []',
    replace: 'ended',
    killedBy: {
      file: 'services/account/billing/clock.test.ts',
      test: 'a plan that was paid for does not end by a clock',
    },
    needs: ['billing'],
    withinSeeds: 5_000,
  },
  {
    name: 'an absence that a clock far ahead has recorded lasts until then',
    file: 'domain/chain/dropped-payment.ts',
    in: 'vanishedSince',
    find: '&& vanished.since <= now',
    replace: '',
    killedBy: {
      file: 'domain/chain/dropped-payment.test.ts',
      test: 'the wait starts again when a clock that was ahead began it',
    },
  },
  {
    name: 'a process whose clock is hours wrong records absences',
    file: 'domain/chain/dropped-payment.ts',
    in: 'presenceOf',
    find: 'list.provesVanished && list.clockIsRight',
    replace: 'list.provesVanished',
    killedBy: {
      file: 'domain/chain/dropped-payment.test.ts',
      test: 'no payment has vanished when the clock is wrong',
    },
  },
]
