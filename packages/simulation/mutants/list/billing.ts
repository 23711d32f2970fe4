import type { Change } from '../mutant.ts'

export const BILLING: readonly Change[] = [
  {
    name: 'a plan is granted again with each change of its paid invoice',
    file: 'services/account/billing.ts',
    in: 'applyPayment',
    find: "if (purchase?.status === 'open') await grantPurchase",
    replace: 'if (purchase) await grantPurchase',
    needs: ['billing'],
    withinSeeds: 500,
  },
]
