import type { StoreProfile } from '../../../domain/account/store-profile.ts'

/** A stored image. */
export interface StoreLogo {
  /** SHA-256 of the image, 64 hex characters. */
  readonly hash: string
  /** PNG. */
  readonly image: Uint8Array
}

/** The store profiles of accounts. */
export interface StoreProfileRepository {
  /** By account id, without accounts that have set nothing. */
  ofAccounts(accountIds: readonly number[]): Promise<Map<number, StoreProfile>>
  /** Inserts or replaces the profile of an account. */
  save(accountId: number, profile: StoreProfile): Promise<void>
  /** Inserts or replaces the bytes of an account's logo; null removes them. The profile names the logo. */
  saveLogo(accountId: number, logo: StoreLogo | null): Promise<void>
  /** The image with this hash, of any account. */
  logo(hash: string): Promise<Uint8Array | null>
}
