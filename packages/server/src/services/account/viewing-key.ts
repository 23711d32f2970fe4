import { createHash } from 'node:crypto'
import type { Account, Network } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { expiryReason, viewingKeySealContext } from '../../domain/account/viewing-key.ts'
import { invalidField } from '../../domain/error.ts'
import { scanKeyReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { NoteScanner, ParsedViewingKey } from '../../ports/note-scanner.ts'
import type { Random } from '../../ports/random.ts'
import type { ViewingKeyRow } from '../../ports/repository/account/viewing-key.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import type { WatchedKeys } from '../chain/watched-key.ts'
import { recordChange } from './audit.ts'
import { readExpiryContext } from './viewing-key-expiry.ts'

export interface ViewingKeys {
  /** Checks whether `set` would accept the text. @throws AppError `invalid_viewing_key` */
  check(text: string): Promise<void>
  /**
   * Sets the key for new invoices. Earlier invoices stay watched under their own keys. `firstAddress` is the address at
   * diversifier index 0, which wallets show first and which is never used for an invoice. An expired key is refused. The
   * expiry height is checked only after a first block was recorded, and again for each new invoice.
   * The present key changes and mails nothing.
   * @throws AppError `invalid_viewing_key`, the reason in `detail`; `too_many_watched_keys`, `watched_key_capacity_reached`
   */
  set(account: Account, text: string, actor?: Actor): Promise<{ account: Account; firstAddress: string }>
  /** The first address of the current key; null without a key. */
  firstAddress(account: Account): Promise<string | null>
  /** As `set` but without an email notification and without a limit of watched keys, for an account without an owner. */
  setWithoutNotification(account: Account, text: string): Promise<Account>
}

/** Wallets use low indexes, some of them sequentially. */
const MIN_FIRST_INDEX = 2n ** 40n

/**
 * The first diversifier index for invoices of a key: at a random offset between 2^40 and 2^49, so that invoice addresses
 * collide neither with the merchant's wallet nor with another service that uses the key.
 */
function randomFirstIndex(random: Random): bigint {
  return MIN_FIRST_INDEX + BigInt(`0x${Buffer.from(random.bytes(6)).toString('hex')}`)
}

function hasSameKey(one: Account, other: Account): boolean {
  return (
    one.viewingKeyId === other.viewingKeyId &&
    one.viewingKeyExpiry?.time === other.viewingKeyExpiry?.time &&
    one.viewingKeyExpiry?.height === other.viewingKeyExpiry?.height
  )
}

export function createViewingKeys(deps: {
  readonly store: Store
  readonly noteScanner: NoteScanner
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
  readonly watchedKeys: Pick<WatchedKeys, 'checkCurrent'>
}): ViewingKeys {
  const { store, noteScanner, vault, clock, random, network, watchedKeys } = deps

  async function parseUnexpired(text: string): Promise<ParsedViewingKey> {
    // Copied keys often have surrounding spaces or line breaks.
    const key = noteScanner.parseViewingKey(text.trim(), network)
    if (!key.expiry) return key
    const { expiry } = key
    const expired = expiryReason(expiry, await store.query(tx => readExpiryContext(tx, expiry, nowSecs(clock))))
    if (expired !== null) throw invalidField('viewing_key', `${expired}: export a new key from the wallet`)
    return key
  }

  async function storeKey(tx: Tx, { incoming }: ParsedViewingKey, createdAt: number): Promise<number> {
    const fingerprint = createHash('sha256').update(incoming).digest()
    const key = { fingerprint, network, createdAt, firstIndex: randomFirstIndex(random) }
    const seal = (id: number) => vault.seal(incoming, viewingKeySealContext(id))
    const row = await tx.viewingKeys.findOrInsert(key, seal)
    if (!opens(row)) await repair(tx, row, seal(row.id), createdAt)
    return row.id
  }

  function opens({ id, sealed }: ViewingKeyRow): boolean {
    try {
      vault.open(sealed, viewingKeySealContext(id))
      return true
    } catch {
      return false
    }
  }

  /** Replaces a secret that does not open by the same key, which its owner has entered again. */
  async function repair(tx: Tx, row: ViewingKeyRow, sealed: Uint8Array, now: number): Promise<void> {
    await tx.viewingKeys.reseal(row.id, row.sealed, sealed)
    const entry = await tx.setAside.lock(scanKeyReference(row))
    if (entry) await tx.setAside.put({ ...entry, nextAttemptAt: now })
  }

  async function setKey(
    tx: Tx,
    { viewingKeyExpiry: _earlier, ...account }: Account,
    viewingKeyId: number,
    { expiry }: ParsedViewingKey,
  ): Promise<Account> {
    await tx.accounts.setViewingKey(account.id, viewingKeyId, expiry)
    return { ...account, viewingKeyId, ...(expiry && { viewingKeyExpiry: expiry }) }
  }

  async function deriveFirstAddress(incoming: Uint8Array): Promise<string> {
    const [first] = await noteScanner.deriveAddresses(incoming, network, 0n, 1)
    if (first === undefined) throw new Error('no address was derived for a valid viewing key')
    return first
  }

  return {
    async check(text) {
      await parseUnexpired(text)
    },

    async set(account, text, actor = SERVICE) {
      const key = await parseUnexpired(text)
      const firstAddress = await deriveFirstAddress(key.incoming)
      const now = nowSecs(clock)
      const after = await store.write(async tx => {
        const before = await tx.accounts.lock(account.id)
        const id = await storeKey(tx, key, now)
        await watchedKeys.checkCurrent(tx, account, id, now)
        const after = await setKey(tx, account, id, key)
        if (!before || !hasSameKey(before, after))
          await recordChange(tx, account, actor, { kind: 'viewing_key_set', at: now })
        return after
      })
      return { account: after, firstAddress }
    },

    async firstAddress({ viewingKeyId }) {
      const key = viewingKeyId === null ? null : await store.query(tx => tx.viewingKeys.byId(viewingKeyId))
      return key && deriveFirstAddress(vault.open(key.sealed, viewingKeySealContext(key.id)))
    },

    async setWithoutNotification(account, text) {
      const key = await parseUnexpired(text)
      return store.write(async tx => setKey(tx, account, await storeKey(tx, key, nowSecs(clock)), key))
    },
  }
}
