import type { Mutant } from '../mutant.ts'

/** Mutants of the rows that are set aside. */
export const POISON_MUTANTS: readonly Mutant[] = [
  {
    name: 'a row that is set aside is never tried again',
    theme: 'rows set aside',
    file: 'services/set-aside.ts',
    find: 'const due = await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))',
    replace:
      'const due = (await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))).filter(entry => entry.failures === 0)',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'a viewing key that does not open stops the scan for all merchants',
    theme: 'rows set aside',
    file: 'services/scan-key.ts',
    find: 'if (!isSetAside) failed.push({ row, error })',
    replace: 'throw error',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'invoices that are put off with one that cannot be written wait for the next start',
    theme: 'rows set aside',
    file: 'services/set-aside.ts',
    find: 'const due = await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))',
    replace:
      'const due = (await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))).filter(entry => entry.failures > 0)',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'a further failure of a viewing key forgets the blocks that it missed',
    theme: 'rows set aside',
    file: 'services/set-aside.ts',
    find: 'fromHeight: heights.length > 0 ? lowest(heights) : null,',
    replace: 'fromHeight,',
    needs: ['poison'],
    withinSeeds: 3_000,
  },
]
