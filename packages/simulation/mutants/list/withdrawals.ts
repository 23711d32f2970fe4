import type { Change } from '../mutant.ts'

export const WITHDRAWALS: readonly Change[] = [
  {
    name: 'a deposit that is mined late is paid out at the old rate',
    file: 'services/payout/withdrawal.ts',
    in: 'findLate',
    find: 'if (header.time > cutoffAt(height)) return late',
    replace: 'if (header.time < 0) return late',
    killedBy: {
      file: 'services/payout/withdrawal/late-deposit.test.ts',
      test: 'a deposit seen before expiry and mined three days later needs attention',
    },
    needs: ['withdrawal'],
    withinSeeds: 2_000,
  },
  {
    name: 'an operator may settle a withdrawal whose deposit is not confirmed',
    file: 'services/payout/payout.ts',
    in: 'hasUnconfirmedPayment',
    find: 'return unminedZat > 0n || unconfirmedHeight !== null',
    replace: 'return unminedZat < 0n || unconfirmedHeight === -1',
    killedBy: {
      file: 'services/payout/withdrawal/orders.test.ts',
      test: 'coins removed by a reorganisation are not paid out',
    },
    needs: ['withdrawal'],
    withinSeeds: 5_000,
  },
  {
    name: 'a payout goes on although a reorganisation removed its deposit',
    file: 'services/payout/withdrawal.ts',
    in: 'depositStep',
    find: "const confirmed = status === 'paid' && !needsAttention",
    replace: "const confirmed = status === 'paid' || needsAttention",
    needs: ['withdrawal'],
    withinSeeds: 3_000,
  },
  {
    name: 'an exchange rate of any age is used while the rate source fails',
    file: 'adapters/rates/cached.ts',
    in: 'rate',
    find: 'if (current && isUsable(current, nowSecs(clock), maxAgeSecs)) return current',
    replace: 'if (current) return current',
    needs: ['withdrawal'],
    withinSeeds: 2_000,
  },
  {
    name: 'a rate that was fetched before the clock was set back is used',
    file: 'domain/rate.ts',
    in: 'ageOf',
    find: 'Math.abs(now - fetchedAt)',
    replace: 'now - fetchedAt',
    needs: ['withdrawal'],
    withinSeeds: 10_000,
  },
]
