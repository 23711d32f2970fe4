import { viewingKeySealContext } from '../domain/viewing-key.ts'
import { webhookSecretSealContext } from '../domain/webhook.ts'
import { payoutSealContext } from '../domain/withdrawal.ts'
import type { Store } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

export interface Secrets {
  /** Re-encrypts all secrets at rest with the newest encryption key. Returns their number. */
  reseal(): Promise<number>
  /** Decrypts one secret of each kind. @throws Error when they were encrypted with another encryption key */
  check(): Promise<void>
}

const PAGE = 500

export function createSecrets({ store, vault }: { store: Store; vault: Vault }): Secrets {
  async function resealViewingKeys(): Promise<number> {
    const keys = await store.read(tx => tx.viewingKeys.list())
    for (const { id, sealed } of keys) {
      const resealed = vault.seal(vault.open(sealed, viewingKeySealContext(id)), viewingKeySealContext(id))
      await store.write(tx => tx.viewingKeys.reseal(id, resealed))
    }
    return keys.length
  }

  /** Webhook secrets may be rotated concurrently, so each one is locked and re-encrypted in one transaction. */
  function resealWebhook(accountId: number): Promise<void> {
    const context = webhookSecretSealContext(accountId)
    return store.write(async tx => {
      await tx.deliveries.lockWebhooks([accountId])
      const webhook = await tx.webhooks.byAccount(accountId)
      if (webhook) await tx.webhooks.reseal(accountId, vault.seal(vault.open(webhook.sealedSecret, context), context))
    })
  }

  async function resealWebhooks(after = 0): Promise<number> {
    const page = await store.read(tx => tx.webhooks.list(after, PAGE))
    for (const { accountId } of page) await resealWebhook(accountId)
    const last = page.at(-1)
    return last ? page.length + (await resealWebhooks(last.accountId)) : 0
  }

  async function resealWithdrawals(after = 0): Promise<number> {
    const page = await store.read(tx => tx.withdrawals.listAfter(after, PAGE))
    for (const { invoiceId, sealedPayoutTo } of page) {
      const resealed = vault.seal(
        vault.open(sealedPayoutTo, payoutSealContext(invoiceId)),
        payoutSealContext(invoiceId),
      )
      await store.write(tx => tx.withdrawals.reseal(invoiceId, resealed))
    }
    const last = page.at(-1)
    return last ? page.length + (await resealWithdrawals(last.invoiceId)) : 0
  }

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
