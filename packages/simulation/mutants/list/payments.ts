import type { Mutant } from '../mutant.ts'

/** Mutants of expiry, payments, reorganisations, clocks and the rescan. */
export const PAYMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a stalled server advances the synced-through time',
    theme: 'expiry',
    file: 'services/mempool-snapshot.ts',
    find: "time.state === 'ok' && snapshot.syncedThrough !== null",
    replace: 'snapshot.syncedThrough !== null',
    withinSeeds: 4_000,
  },
  {
    name: 'an invoice closes while a payment that left the mempool can still be mined',
    theme: 'expiry',
    file: 'domain/invoice.ts',
    find: 'return syncedThrough < watchUntil ? minableUntil(dropped, tip) : null',
    replace: 'return null',
    withinSeeds: 1_000,
  },
  {
    name: 'an invoice with the full amount received closes at its expiry before it is confirmed',
    theme: 'expiry',
    file: 'domain/invoice.ts',
    find: 'const full = receivedZat >= terms.amountZat',
    replace: 'const full = receivedZat >= terms.amountZat && (!due || isClosed(before))',
    withinSeeds: 200,
  },
  {
    name: 'invoice.underpaid is raised more than once',
    theme: 'expiry',
    file: 'domain/invoice.ts',
    find: "after.status === 'underpaid' && before.underpaidAt === null",
    replace: "after.status === 'underpaid'",
    withinSeeds: 3_000,
  },
  {
    name: 'an evaluation reads every payment in the mempool',
    theme: 'payments',
    file: 'services/invoice-state.ts',
    find: 'tx.payments.firstUnmined(ids, MAX_UNMINED_COUNTED)',
    replace: 'tx.payments.firstUnmined(ids, Number.MAX_SAFE_INTEGER)',
    withinSeeds: 3_000,
  },
  {
    name: 'a payment has one confirmation too many',
    theme: 'payments',
    file: 'domain/payment.ts',
    find: 'return tip - Math.max(1, confirmations) + 1',
    replace: 'return tip - Math.max(1, confirmations) + 2',
    withinSeeds: 100,
  },
  {
    name: 'a mempool observation that is older than the block unmines the payment',
    theme: 'payments',
    file: 'store/repository/payment.ts',
    find: 'and([not(minedBefore), or([moved, expiryAdded])])',
    replace: 'or([moved, expiryAdded])',
    withinSeeds: 200,
  },
  {
    name: 'a payment dated hours before its invoice is ignored',
    theme: 'payments',
    file: 'services/payment.ts',
    find: 'return invoice !== undefined && isWatched(invoice, time)',
    replace: 'return invoice !== undefined && isWatched(invoice, time) && time >= invoice.createdAt - 7_200',
    withinSeeds: 500,
  },
  {
    name: 'a payment gets the block time even when the block time is ahead of the clock',
    theme: 'payments',
    file: 'services/payment.ts',
    find: 'time: Math.min(block.time, now)',
    replace: 'time: block.time',
    needs: ['regtest'],
    withinSeeds: 20_000,
  },
  {
    name: 'a rewind leaves the payments of the lowest removed block mined',
    theme: 'reorganisations',
    file: 'services/recorded-chain.ts',
    find: 'await unmineAbove(tx, height, now, write)',
    replace: 'await unmineAbove(tx, height + 1, now, write)',
    withinSeeds: 200,
  },
  {
    name: 'a rewind in steps (of one payment, scaled down) removes all headers in its first step',
    theme: 'reorganisations',
    file: 'services/recorded-chain.ts',
    find: `const stepFloor = await tx.payments.lowestHeightWithAtMost(PAYMENTS_PER_STEP, toHeight)
      // At least one block: the payments of a single block always fit into one transaction.
      const top = (await tx.chain.tip())?.height ?? toHeight
      const height = Math.max(toHeight, Math.min(stepFloor, top - 1))
      const { locked, touched } = await unmineAbove(tx, height, now, write)
      await tx.chain.removeHeadersAbove(height)`,
    replace: `const stepFloor = await tx.payments.lowestHeightWithAtMost(1, toHeight)
      const top = (await tx.chain.tip())?.height ?? toHeight
      const height = Math.max(toHeight, Math.min(stepFloor, top - 1))
      const { locked, touched } = await unmineAbove(tx, height, now, write)
      await tx.chain.removeHeadersAbove(toHeight)`,
    withinSeeds: 1_000,
  },
  {
    name: 'a paid invoice whose payments are back in the mempool needs no attention',
    theme: 'reorganisations',
    file: 'domain/invoice.ts',
    find: "needsAttention: status === 'paid' && keptZat < terms.amountZat",
    replace: "needsAttention: status === 'paid' && receivedZat < terms.amountZat",
    withinSeeds: 200,
  },
  {
    name: 'a synced-through time ahead of the clock is accepted',
    theme: 'clocks',
    file: 'services/invoice-state.ts',
    find: 'syncedThrough > now ? 0 : syncedThrough',
    replace: 'syncedThrough',
    withinSeeds: 3_000,
  },
  {
    name: 'a synced-through time ahead of the clock is never moved back',
    theme: 'clocks',
    file: 'store/repository/chain.ts',
    find: "or([eb('value', '<', unixSecs), eb('value', '>', now)])",
    replace: "or([eb('value', '<', unixSecs)])",
    needs: ['regtest'],
    withinSeeds: 20_000,
  },
  {
    name: 'a plan ends while the clock and the chain differ by hours',
    theme: 'clocks',
    file: 'services/billing.ts',
    find: 'return ended.length > 0 && (await clockIsRight(tx, now)) ? ended : []',
    replace: 'return ended',
    needs: ['billing'],
    withinSeeds: 5_000,
  },
  {
    name: 'a rescan scans only with the keys that are scanned now',
    theme: 'rescan',
    file: 'workers/chain/rescan.ts',
    find: '() => deps.scanKeys.all()',
    replace: 'read => deps.scanKeys.watchedAt(read.at(-1)!.time + 30 * 86_400)',
    needs: ['operator'],
    withinSeeds: 1_000,
  },
  {
    name: 'an amount that is received after an invoice was paid is missing in the totals of its day',
    theme: 'payments',
    file: 'domain/daily-total.ts',
    find: '.filter(({ receivedZat, invoices }) => receivedZat !== 0n || invoices !== 0)',
    replace: '.filter(({ invoices }) => invoices !== 0)',
    withinSeeds: 500,
  },
]
