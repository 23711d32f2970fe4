import { createHash } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import {
  checkedStoreChange,
  EMPTY_STORE,
  STORE_FIELDS,
  type StoreChange,
  type StoreProfile,
} from '../../domain/account/store-profile.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { LogoEncoder } from '../../ports/logo-encoder.ts'
import type { StoreLogo } from '../../ports/repository/account/store-profile.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { recordChange } from './audit.ts'

/** How the store of an account appears to its buyers, and the defaults of its invoices. */
export interface StoreProfiles {
  /** The profile of an account, for its pages and those of its buyers. All fields are null until they are set. */
  ofAccountId(accountId: number): Promise<StoreProfile>
  /**
   * Sets fields; those that are absent stay.
   * @param publicUrl of the service, see `parseShopUrl`
   * @throws AppError `invalid_<field>`, `account_being_deleted`, `too_many_changes`
   */
  change(account: Account, change: StoreChange, publicUrl: string, actor?: Actor): Promise<StoreProfile>
  /**
   * Stores the pixels of a PNG, JPEG or WebP image as a PNG of at most 512 pixels a side, and nothing else of it.
   * @throws AppError `invalid_logo`, `account_being_deleted`, `too_many_changes`
   */
  setLogo(account: Account, file: Uint8Array, actor?: Actor): Promise<StoreProfile>
  /** @throws AppError `account_being_deleted`, `too_many_changes` */
  removeLogo(account: Account, actor?: Actor): Promise<StoreProfile>
  /** The PNG with this hash. Null for an unknown one. */
  logo(hash: string): Promise<Uint8Array | null>
}

export function createStoreProfiles(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly logoEncoder: LogoEncoder
}): StoreProfiles {
  const { store, clock, logoEncoder } = deps

  /** Changes the profile under the lock of the account, and records which fields are others than before. */
  function update(
    account: Account,
    change: Partial<StoreProfile>,
    actor: Actor,
    write: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<StoreProfile> {
    return store.write(async tx => {
      await tx.accounts.lock(account.id)
      const before = (await tx.storeProfiles.ofAccounts([account.id])).get(account.id) ?? EMPTY_STORE
      const after = { ...before, ...change }
      const changed = changedFields(before, after)
      if (changed.length === 0) return before
      await tx.storeProfiles.save(account.id, after)
      await write(tx)
      await recordChange(tx, account, actor, { kind: 'store_changed', at: nowSecs(clock), detail: changed.join(', ') })
      return after
    })
  }

  function saveLogo(account: Account, logo: StoreLogo | null, actor: Actor): Promise<StoreProfile> {
    return update(account, { logo: logo?.hash ?? null }, actor, tx => tx.storeProfiles.saveLogo(account.id, logo))
  }

  return {
    ofAccountId: async accountId => (await store.lookup.storeProfile(accountId)) ?? EMPTY_STORE,

    change: async (account, change, publicUrl, actor = SERVICE) =>
      update(account, checkedStoreChange(change, publicUrl), actor),

    async setLogo(account, file, actor = SERVICE) {
      const image = await logoEncoder.encode(file)
      return saveLogo(account, { hash: createHash('sha256').update(image).digest('hex'), image }, actor)
    },

    removeLogo: (account, actor = SERVICE) => saveLogo(account, null, actor),

    logo: hash => store.query(tx => tx.storeProfiles.logo(hash)),
  }
}

/** The wire names of the fields that differ. */
function changedFields(before: StoreProfile, after: StoreProfile): string[] {
  return Object.entries(STORE_FIELDS).flatMap(([name, field]) => {
    const [earlier, later] = [before, after].map(profile => JSON.stringify(profile[name as keyof StoreProfile]))
    return earlier === later ? [] : ['wire' in field ? field.wire : name]
  })
}
