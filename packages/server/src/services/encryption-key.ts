import { viewingKeySealContext } from '../domain/viewing-key.ts'
import { webhookSecretSealContext } from '../domain/webhook.ts'
import { payoutSealContext } from '../domain/withdrawal.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { SealContext, Vault } from '../ports/vault.ts'

export interface Secrets {
  /** Re-encrypts all secrets at rest with the newest encryption key. Returns their number. */
  reseal(): Promise<number>
  /** Decrypts one secret of each kind. @throws Error when they were encrypted with another encryption key */
  check(): Promise<void>
}

const PAGE = 500

export function createSecrets({ store, vault }: { store: Store; vault: Vault }): Secrets {
  const resealed = (sealed: Uint8Array, context: SealContext) => vault.seal(vault.open(sealed, context), context)

  /** Calls `reseal` for all records, which `list` returns in pages by ascending id. @returns their number */
  async function resealPages<R>(
    list: (tx: Tx, afterId: number) => Promise<readonly R[]>,
    idOf: (record: R) => number,
    reseal: (record: R) => Promise<void>,
  ): Promise<number> {
    let count = 0
    for (let afterId = 0; ; ) {
      const page = await store.read(tx => list(tx, afterId))
      for (const record of page) await reseal(record)
      const last = page.at(-1)
      if (last === undefined) return count
      count += page.length
      afterId = idOf(last)
    }
  }

  async function resealViewingKeys(): Promise<number> {
    const keys = await store.read(tx => tx.viewingKeys.list())
    for (const { id, sealed } of keys) {
      await store.write(tx => tx.viewingKeys.reseal(id, resealed(sealed, viewingKeySealContext(id))))
    }
    return keys.length
  }

  /** Webhook secrets may be rotated concurrently, so each one is locked and re-encrypted in one transaction. */
  function resealWebhook(accountId: number): Promise<void> {
    return store.write(async tx => {
      await tx.deliveries.lockWebhooks([accountId])
      const webhook = await tx.webhooks.byAccount(accountId)
      if (!webhook) return
      await tx.webhooks.reseal(accountId, resealed(webhook.sealedSecret, webhookSecretSealContext(accountId)))
    })
  }

  const resealWebhooks = () =>
    resealPages(
      (tx, afterId) => tx.webhooks.list(afterId, PAGE),
      ({ accountId }) => accountId,
      ({ accountId }) => resealWebhook(accountId),
    )

  const resealWithdrawals = () =>
    resealPages(
      (tx, afterId) => tx.withdrawals.listAfter(afterId, PAGE),
      ({ invoiceId }) => invoiceId,
      ({ invoiceId, sealedPayoutTo }) =>
        store.write(tx => tx.withdrawals.reseal(invoiceId, resealed(sealedPayoutTo, payoutSealContext(invoiceId)))),
    )

  return {
    async reseal() {
      return (await resealViewingKeys()) + (await resealWebhooks()) + (await resealWithdrawals())
    },

    async check() {
      const [key] = await store.read(tx => tx.viewingKeys.list())
      if (key) vault.open(key.sealed, viewingKeySealContext(key.id))
      const [webhook] = await store.read(tx => tx.webhooks.list(0, 1))
      if (webhook) vault.open(webhook.sealedSecret, webhookSecretSealContext(webhook.accountId))
      const [withdrawal] = await store.read(tx => tx.withdrawals.listAfter(0, 1))
      if (withdrawal) vault.open(withdrawal.sealedPayoutTo, payoutSealContext(withdrawal.invoiceId))
    },
  }
}
