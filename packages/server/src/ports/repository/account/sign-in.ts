import type { SharedBudget } from '../../../domain/account/code-budget.ts'
import type { CodePurpose } from '../../../domain/account/sign-in.ts'

/** A request for a code. The code is generated when it is mailed; only its keyed hash is stored. */
export interface NewSignInCode {
  readonly purpose: CodePurpose
  readonly email: string
  /** SHA-256 of the browser's cookie. The code works only in this browser. */
  readonly browserHash: Uint8Array
  /** Keyed hash of the client's address prefix. */
  readonly clientHash: Uint8Array
  /** Keyed hashes of an IPv6 client's /56 and /48; null for other clients and for known browsers. */
  readonly networkHashes: { readonly network56: Uint8Array; readonly network48: Uint8Array } | null
  /** Identifies a browser that has signed in to this email's account; null for other browsers. */
  readonly knownBrowserHash: Uint8Array | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** A stored request for a code. */
export interface SignInCode {
  readonly id: number
  readonly purpose: CodePurpose
  readonly email: string
  /** Whether a browser requested it that has signed in to the account before. */
  readonly isKnownBrowser: boolean
  /** Null until the code is mailed. */
  readonly codeHash: Uint8Array | null
  readonly expiresAt: number
}

/** A link that signs in to the account of an email, as stored. */
export interface NewSignInLink {
  readonly email: string
  /** SHA-256 of the link's secret. */
  readonly secretHash: Uint8Array
  readonly createdAt: number
  readonly expiresAt: number
}

/** The requests to count. Those of a client or a network are counted for unknown browsers only. */
export type CodeRequestScope =
  | { readonly email: string; readonly isKnownBrowser: boolean }
  | { readonly knownBrowserHash: Uint8Array }
  | { readonly clientHash: Uint8Array }
  | { readonly network56Hash: Uint8Array }
  | { readonly network48Hash: Uint8Array }

/** Sign-in codes, and until when sessions count as recently authenticated. */
export interface SignInRepository {
  /** Blocks other transactions at this call until this one ends, so that the counts stay valid. */
  lockCounts(): Promise<void>
  /** Number of codes requested since a time, counted up to `max`. */
  count(purpose: CodePurpose, scope: CodeRequestScope, since: number, max: number): Promise<number>
  /**
   * Begins the budget's window unless it has begun, and blocks other transactions at this call until this one ends.
   * @returns how much of the budget is used
   */
  lockBudget(budget: SharedBudget, windowStartsAt: number, windowEndsAt: number): Promise<number>
  /** Changes how much of a locked budget is used. */
  setBudgetUsed(budget: SharedBudget, used: number): Promise<void>
  /** How much of the budget is used in this window. */
  budgetUsed(budget: SharedBudget, windowStartsAt: number): Promise<number>
  insert(code: NewSignInCode): Promise<SignInCode>
  byId(id: number): Promise<SignInCode | null>
  /** The browser's newest code for a purpose that is unused, not expired at `now`, and has fewer than `maxAttempts`. */
  findUsable(
    purpose: CodePurpose,
    browserHash: Uint8Array,
    now: number,
    maxAttempts: number,
  ): Promise<SignInCode | null>
  /** Counts an attempt at that code. Each attempt goes to one caller only. Null when no usable code exists. */
  claimAttempt(
    purpose: CodePurpose,
    browserHash: Uint8Array,
    now: number,
    maxAttempts: number,
  ): Promise<SignInCode | null>
  /** Stores the keyed hash of the mailed code. */
  setCodeHash(id: number, codeHash: Uint8Array): Promise<void>
  /** Number of wrong codes of six or ten digits that known browsers entered for this email, in codes requested since a time. */
  wrongInKnownBrowsers(email: string, since: number): Promise<number>
  /** Marks the code as used. */
  markUsed(id: number, at: number): Promise<void>
  insertLink(link: NewSignInLink): Promise<void>
  /** The email of a link that is unused and not expired at `now`; null for other links. */
  linkEmail(secretHash: Uint8Array, now: number): Promise<string | null>
  /** As `linkEmail`, and marks the link as used. Of concurrent callers, one gets the email. */
  useLink(secretHash: Uint8Array, now: number): Promise<string | null>
  /** Deletes codes and links requested before a time. */
  prune(before: number, limit: number): Promise<void>
  /** Unix seconds until which the session counts as recently authenticated; 0 when it never did. */
  recentlyAuthenticatedUntil(sessionId: number): Promise<number>
  /** As `recentlyAuthenticatedUntil`, by the session's public id. */
  recentlyAuthenticatedUntilOf(publicId: string): Promise<number>
  setRecentlyAuthenticatedUntil(sessionId: number, until: number): Promise<void>
}
