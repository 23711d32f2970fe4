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
    name: 'a stale quote counts',
    file: 'domain/rate.ts',
    in: 'decideRate',
    find: 'ageOf(at, now) > maxAgeSecs',
    replace: 'ageOf(at, now) < 0',
    killedBy: {
      file: 'domain/rate.test.ts',
      test: 'a quote counts for its maximum age and no longer, also one from the future',
    },
    needs: ['withdrawal'],
    withinSeeds: 2_000,
  },
  {
    name: 'the middle of quotes that disagree is the rate',
    file: 'domain/rate.ts',
    in: 'largestAgreement',
    find: 'return last >= first + largest ? [] : byPrice.slice(first, last + largest)',
    replace: 'return last >= first + largest ? byPrice : byPrice.slice(first, last + largest)',
    killedBy: {
      file: 'domain/rate.test.ts',
      test: 'two that disagree are no rate, and neither are two pairs that disagree',
    },
  },
  {
    name: 'one source alone is a rate',
    file: 'domain/rate.ts',
    in: 'decideRate',
    find: 'if (counted.length < minSources) return',
    replace: 'if (counted.length < 1) return',
    killedBy: {
      file: 'domain/rate.test.ts',
      test: 'one source alone is used only if the minimum is 1',
    },
  },
  {
    name: 'a rate that was fetched before the clock was set back is used',
    file: 'domain/rate.ts',
    in: 'ageOf',
    find: 'Math.abs(now - at)',
    replace: 'now - at',
    needs: ['withdrawal'],
    withinSeeds: 10_000,
  },
]
