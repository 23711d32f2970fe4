import { createHash } from 'node:crypto'
import type { Account, Network } from '../domain/account.ts'
import { notice } from '../domain/email-notification.ts'
import { invalidField } from '../domain/error.ts'
import { expiredSince, viewingKeyPlace } from '../domain/viewing-key.ts'
import type { ImportedKey } from '../ports/chain.ts'
import type { Clock, Random, Rows, Store, Vault, Viewer } from '../ports.ts'
import { nowSecs } from '../ports.ts'

export interface ViewingKeys {
  /** Whether `set` would take the text. @throws Fault as `set` */
  check(text: string): Promise<void>
  /**
   * New invoices are made under this key from now on; those made before stay watched under theirs.
   * `firstAddress` is the one at diversifier index 0, which wallets show first and no invoice is ever given.
   * An expired key is refused. By its expiry height it is judged only once a block has been read; every new invoice
   * judges it again.
   * @throws Fault `invalid_viewing_key`, the reason in `detail`
   */
  set(account: Account, text: string): Promise<{ account: Account; firstAddress: string }>
  /** Of the key that is set; null when there is none. */
  firstAddress(account: Account): Promise<string | null>
  /** As `set`, and nobody is told by mail: for an account without an owner. */
  assign(account: Account, text: string): Promise<Account>
}

/** Wallets hand out the low indexes, some of them one after the other. */
const LEAST_INDEX = 2n ** 40n

/**
 * Where a key's invoices begin: far above what a wallet uses under the same key, and at a place of chance, so that
 * neither the merchant's own addresses nor another service with the key ever meets an invoice's. Below 2^49.
 */
function drawFirstIndex(random: Random): bigint {
  return LEAST_INDEX + BigInt(`0x${Buffer.from(random.bytes(6)).toString('hex')}`)
}

export function createViewingKeys(deps: {
  readonly store: Store
  readonly viewer: Viewer
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
}): ViewingKeys {
  const { store, viewer, vault, clock, random, network } = deps

  async function importKey(text: string): Promise<ImportedKey> {
    const key = viewer.importKey(text, network)
    if (!key.expiry) return key
    const tip = key.expiry.height === null ? null : await store.glance(rows => rows.chain.tip())
    const expired = expiredSince(key.expiry, { now: nowSecs(clock), tipHeight: tip?.height ?? null })
    if (expired !== null) throw invalidField('viewing_key', `${expired}: export another key from the wallet`)
    return key
  }

  async function putUnder(
    rows: Rows,
    { viewingKeyExpiry: _earlier, ...account }: Account,
    { incoming, expiry }: ImportedKey,
    createdAt: number,
  ): Promise<Account> {
    const fingerprint = createHash('sha256').update(incoming).digest()
    const key = { fingerprint, network, createdAt, firstIndex: drawFirstIndex(random) }
    const { id: viewingKeyId } = await rows.viewingKeys.ensure(key, id => vault.seal(incoming, viewingKeyPlace(id)))
    await rows.accounts.setViewingKey(account.id, viewingKeyId, expiry)
    return { ...account, viewingKeyId, ...(expiry && { viewingKeyExpiry: expiry }) }
  }

  async function firstOf(incoming: Uint8Array): Promise<string> {
    const [first] = await viewer.addresses(incoming, network, 0n, 1)
    if (first === undefined) throw new Error('no address came back for a good viewing key')
    return first
  }

  return {
    async check(text) {
      await importKey(text)
    },

    async set(account, text) {
      const key = await importKey(text)
      const firstAddress = await firstOf(key.incoming)
      const now = nowSecs(clock)
      const changed = await store.write(async rows => {
        await rows.mails.append(notice(account, 'viewing_key_set', now))
        return putUnder(rows, account, key, now)
      })
      return { account: changed, firstAddress }
    },

    async firstAddress({ viewingKeyId }) {
      const key = viewingKeyId === null ? null : await store.glance(rows => rows.viewingKeys.byId(viewingKeyId))
      return key && firstOf(vault.open(key.sealed, viewingKeyPlace(key.id)))
    },

    async assign(account, text) {
      const key = await importKey(text)
      return store.write(rows => putUnder(rows, account, key, nowSecs(clock)))
    },
  }
}
