import type { Change } from '../mutant.ts'

export const ROWS_SET_ASIDE: readonly Change[] = [
  {
    name: 'a row that is set aside is never tried again',
    file: 'services/set-aside.ts',
    in: 'retryDue',
    find: 'const due = await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))',
    replace:
      'const due = (await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))).filter(entry => entry.failures === 0)',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'a viewing key that does not open stops the scan for all merchants',
    file: 'services/chain/scan-key.ts',
    in: 'unsealAll',
    find: 'if (!isSetAside) failed.push({ row, error })',
    replace: 'throw error',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'invoices that are put off with one that cannot be written wait for the next start',
    file: 'services/set-aside.ts',
    in: 'retryDue',
    find: 'const due = await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))',
    replace:
      'const due = (await store.query(tx => tx.setAside.listDue(kind, nowSecs(clock), RETRIES))).filter(entry => entry.failures > 0)',
    needs: ['poison'],
    withinSeeds: 1_000,
  },
  {
    name: 'a further failure of a viewing key forgets the blocks that it missed',
    file: 'services/set-aside.ts',
    in: 'put',
    find: 'fromHeight: heights.length > 0 ? lowest(heights) : null,',
    replace: 'fromHeight,',
    needs: ['poison'],
    withinSeeds: 3_000,
  },
  {
    name: 'a viewing key that opens while blocks are scanned without it misses these blocks',
    file: 'services/chain/chain-sync.ts',
    in: 'recordBlocks',
    find: 'leftOut.length > 0 && !(await',
    replace: 'leftOut.length < 0 && !(await',
    killedBy: {
      file: 'workers/chain/set-aside.test.ts',
      test: 'when a key opens while a batch of blocks is scanned without it',
    },
  },
  {
    name: 'blocks that are replaced are not read again for a viewing key that is set aside',
    file: 'services/chain/recorded-chain.ts',
    in: 'rewindStep',
    find: 'await tx.setAside.lowerFromHeight(height + 1)',
    replace: '',
    killedBy: { file: 'workers/chain/set-aside.test.ts', test: 'blocks that are replaced while the key is set aside' },
  },
  {
    name: 'the mempool is not scanned again with a viewing key that was set aside',
    file: 'workers/chain/mempool.ts',
    in: 'scanNew',
    find: 'isComplete: leftOut.length === 0',
    replace: 'isComplete: true',
    killedBy: {
      file: 'workers/chain/set-aside.test.ts',
      test: 'a payment in the mempool is seen as soon as the key opens',
    },
  },
  {
    name: 'invoices of a viewing key that is set aside close',
    file: 'services/sale/invoice-state.ts',
    in: 'findBlind',
    find: 'isClosing ? await tx.setAside.scanKeyIds() : []',
    replace: '[]',
    killedBy: {
      file: 'workers/chain/set-aside.test.ts',
      test: 'stays open when a reorganisation evaluates it after its end',
    },
  },
  {
    name: 'invoices expire before a complete sync with a viewing key that was set aside',
    file: 'services/chain/missed-blocks.ts',
    in: 'removeIfSynced',
    find: 'if ((await tx.chain.syncedThrough()) <= entry.nextAttemptAt) return false',
    replace: '',
    killedBy: { file: 'workers/chain/set-aside.test.ts', test: 'a key that does not open, at place' },
  },
  {
    name: 'an account with work that is set aside is deleted',
    file: 'store/repository/account/account-deletion.ts',
    in: 'workQueries',
    find: "and([eb('account_id', '=', accountId), eb('kind', '!=', 'account_deletion')]),",
    replace: '',
    killedBy: {
      file: 'services/account/account-deletion.test.ts',
      test: 'an account with work that is set aside is kept until it is done',
    },
  },
]
