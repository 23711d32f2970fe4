import { viewingKeyPlace } from '../domain/viewing-key.ts'
import { secretPlace } from '../domain/webhook.ts'
import { payoutPlace } from '../domain/withdrawal.ts'
import type { Store, Vault } from '../ports.ts'

export interface Secrets {
  /** Opens and seals again every secret at rest, so that all are under the newest encryption key; how many they were. */
  reseal(): Promise<number>
  /** Opens one secret of each kind. @throws when the encryption key is not the one they were sealed under */
  check(): Promise<void>
}

const PAGE = 500

export function createSecrets({ store, vault }: { store: Store; vault: Vault }): Secrets {
  async function resealViewingKeys(): Promise<number> {
    const keys = await store.read(rows => rows.viewingKeys.all())
    for (const { id, sealed } of keys) {
      const again = vault.seal(vault.open(sealed, viewingKeyPlace(id)), viewingKeyPlace(id))
      await store.write(rows => rows.viewingKeys.reseal(id, again))
    }
    return keys.length
  }

  /** These may be rotated meanwhile, so each is held, opened and sealed in one transaction. */
  function resealWebhook(accountId: number): Promise<void> {
    const at = secretPlace(accountId)
    return store.write(async rows => {
      await rows.deliveries.hold([accountId])
      const webhook = await rows.webhooks.byAccount(accountId)
      if (webhook) await rows.webhooks.reseal(accountId, vault.seal(vault.open(webhook.sealedSecret, at), at))
    })
  }

  async function resealWebhooks(after = 0): Promise<number> {
    const page = await store.read(rows => rows.webhooks.all(after, PAGE))
    for (const { accountId } of page) await resealWebhook(accountId)
    const last = page.at(-1)
    return last ? page.length + (await resealWebhooks(last.accountId)) : 0
  }

  async function resealWithdrawals(after = 0): Promise<number> {
    const page = await store.read(rows => rows.withdrawals.after(after, PAGE))
    for (const { invoiceId, sealedPayoutTo } of page) {
      const again = vault.seal(vault.open(sealedPayoutTo, payoutPlace(invoiceId)), payoutPlace(invoiceId))
      await store.write(rows => rows.withdrawals.reseal(invoiceId, again))
    }
    const last = page.at(-1)
    return last ? page.length + (await resealWithdrawals(last.invoiceId)) : 0
  }

  return {
    async reseal() {
      return (await resealViewingKeys()) + (await resealWebhooks()) + (await resealWithdrawals())
    },

    async check() {
      const [key] = await store.read(rows => rows.viewingKeys.all())
      if (key) vault.open(key.sealed, viewingKeyPlace(key.id))
      const [webhook] = await store.read(rows => rows.webhooks.all(0, 1))
      if (webhook) vault.open(webhook.sealedSecret, secretPlace(webhook.accountId))
      const [withdrawal] = await store.read(rows => rows.withdrawals.after(0, 1))
      if (withdrawal) vault.open(withdrawal.sealedPayoutTo, payoutPlace(withdrawal.invoiceId))
    },
  }
}
