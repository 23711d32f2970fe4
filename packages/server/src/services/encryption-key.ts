import { viewingKeySealContext } from '../domain/account/viewing-key.ts'
import { endpointSecretSealContext } from '../domain/notify/endpoint.ts'
import { webhookSecretSealContext } from '../domain/notify/webhook.ts'
import { payoutSealContext } from '../domain/payout/withdrawal.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { SealContext, Vault } from '../ports/vault.ts'

export interface Secrets {
  /** Re-encrypts all secrets at rest with the newest encryption key. Returns their number. */
  reseal(): Promise<number>
  /**
   * Decrypts some secrets of each kind. One that does not decrypt is set aside when it is needed.
   * @returns how many of them do not decrypt
   * @throws Error when none does: they were encrypted with another encryption key
   */
  check(): Promise<number>
}

const PAGE = 500
const MAX_ATTEMPTS = 5
/** Secrets of each kind that are checked. */
const CHECKED = 20

interface SealedRow {
  /** Undefined, or no bytes: the secret is deleted. */
  read(tx: Tx): Promise<Uint8Array | undefined>
  /** False: the bytes are not those that were read any more. */
  write(tx: Tx, read: Uint8Array, sealed: Uint8Array): Promise<boolean>
}

export function createSecrets({ store, vault }: { store: Store; vault: Vault }): Secrets {
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

  /**
   * Re-encrypts a secret in one transaction. A secret that is deleted meanwhile stays deleted, and one that is replaced
   * meanwhile is read again.
   */
  async function resealOne(context: SealContext, { read, write }: SealedRow): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const done = await store.write(async tx => {
        const sealed = await read(tx)
        return !sealed?.length || write(tx, sealed, vault.seal(vault.open(sealed, context), context))
      })
      if (done) return
    }
    throw new Error('a secret is replaced again and again: run the command again')
  }

  const resealViewingKeys = () =>
    resealPages(
      (tx, afterId) => tx.viewingKeys.listAfter(afterId, PAGE),
      ({ id }) => id,
      ({ id }) =>
        resealOne(viewingKeySealContext(id), {
          read: async tx => (await tx.viewingKeys.byId(id))?.sealed,
          write: (tx, read, sealed) => tx.viewingKeys.reseal(id, read, sealed),
        }),
    )

  const resealWebhooks = () =>
    resealPages(
      (tx, afterId) => tx.webhooks.list(afterId, PAGE),
      ({ accountId }) => accountId,
      ({ accountId }) =>
        resealOne(webhookSecretSealContext(accountId), {
          read: async tx => {
            await tx.deliveries.lockWebhooks([accountId])
            return (await tx.webhooks.byAccount(accountId))?.sealedSecret
          },
          write: (tx, read, sealed) => tx.webhooks.reseal(accountId, read, sealed),
        }),
    )

  const resealEndpoints = () =>
    resealPages(
      (tx, afterId) => tx.endpoints.listAfter(afterId, PAGE),
      ({ id }) => id,
      async ({ id, accountId, publicId }) => {
        const read = (tx: Tx) => tx.endpoints.lock(accountId, publicId)
        await resealOne(endpointSecretSealContext(accountId), {
          read: async tx => (await read(tx))?.sealedSecret,
          write: (tx, before, sealed) => tx.endpoints.reseal(id, before, sealed, 'secret'),
        })
        await resealOne(endpointSecretSealContext(accountId), {
          read: async tx => (await read(tx))?.earlierSealedSecret ?? undefined,
          write: (tx, before, sealed) => tx.endpoints.reseal(id, before, sealed, 'earlier_secret'),
        })
      },
    )

  const resealWithdrawals = () =>
    resealPages(
      (tx, afterId) => tx.withdrawals.listAfter(afterId, PAGE),
      ({ invoiceId }) => invoiceId,
      ({ invoiceId }) =>
        resealOne(payoutSealContext(invoiceId), {
          read: async tx => (await tx.withdrawals.byInvoice(invoiceId))?.sealedPayoutTo,
          write: (tx, read, sealed) => tx.withdrawals.reseal(invoiceId, read, sealed),
        }),
    )

  return {
    async reseal() {
      return (
        (await resealViewingKeys()) + (await resealWebhooks()) + (await resealEndpoints()) + (await resealWithdrawals())
      )
    },

    async check() {
      const keys = await store.read(tx => tx.viewingKeys.listAfter(0, CHECKED))
      const webhooks = await store.read(tx => tx.webhooks.list(0, CHECKED))
      const endpoints = await store.read(tx => tx.endpoints.listAfter(0, CHECKED))
      const withdrawals = await store.read(tx => tx.withdrawals.listAfter(0, CHECKED))
      const stored: readonly (readonly [Uint8Array, SealContext])[] = [
        ...keys.map(({ id, sealed }) => [sealed, viewingKeySealContext(id)] as const),
        ...webhooks.map(it => [it.sealedSecret, webhookSecretSealContext(it.accountId)] as const),
        ...endpoints.map(it => [it.sealedSecret, endpointSecretSealContext(it.accountId)] as const),
        ...withdrawals.map(it => [it.sealedPayoutTo, payoutSealContext(it.invoiceId)] as const),
      ]
      const secrets = stored.filter(([sealed]) => sealed.length > 0)
      const errors: unknown[] = []
      for (const [sealed, context] of secrets) {
        try {
          vault.open(sealed, context)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0 && errors.length === secrets.length) throw errors[0]
      return errors.length
    },
  }
}
