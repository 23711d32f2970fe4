import manifest from '../../../package.json' with { type: 'json' }
import { PAYMENT_METHOD } from '../../domain/sale/greenfield-invoice.ts'
import type { SyncStatus } from '../../services/chain/sync-status.ts'
import type { App } from '../app.ts'
import { publicRoute, route } from './dialect.ts'

/** The version of BTCPay Server whose API this is. Plugins compare it with the least that they need. */
const VERSION = '2.4.1'

export function serverRoutes(scope: App, { syncStatus }: { readonly syncStatus: () => Promise<SyncStatus> }): void {
  publicRoute(scope, '/api/v1/health', async () => ({ synchronized: (await syncStatus()).isSynchronized }))

  route(scope, 'GET', '/api/v1/server/info', { permissions: [], rate: 'read' }, async () => {
    const { height, isSynchronized } = await syncStatus()
    return {
      version: VERSION,
      zatgate: manifest.version,
      onion: '',
      supportedPaymentMethods: [PAYMENT_METHOD],
      fullySynched: isSynchronized,
      syncStatus: [
        {
          paymentMethodId: PAYMENT_METHOD,
          nodeInformation: { headers: height, blocks: height, verificationProgress: 1 },
          chainHeight: height,
          syncHeight: height,
          available: true,
        },
      ],
    }
  })
}
