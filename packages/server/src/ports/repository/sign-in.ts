import type { CodePurpose } from '../../domain/sign-in.ts'

/** A request for a code. What the code is, is decided when it is mailed, and only its keyed hash is kept. */
export interface NewSignInCode {
  readonly purpose: CodePurpose
  readonly email: string
  /** SHA-256 of what the browser holds: the code works nowhere else. */
  readonly browserHash: Uint8Array
  /** Keyed hash of the client's address. */
  readonly clientHash: Uint8Array
  readonly createdAt: number
  readonly expiresAt: number
}

export interface SignInCode {
  readonly id: number
  readonly purpose: CodePurpose
  readonly email: string
  /** Null: not mailed yet. */
  readonly codeHash: Uint8Array | null
  readonly tries: number
  readonly createdAt: number
  readonly expiresAt: number
}

export interface SignInRows {
  /** Until this transaction ends no other passes this call: what it counts stays as counted. */
  lockCounts(): Promise<void>
  /** Codes asked for since an instant; the count ends at `most`. */
  count(
    who: { readonly purpose: CodePurpose } & (
      | { readonly email: string }
      | { readonly clientHash: Uint8Array }
      | { readonly all: true }
    ),
    since: number,
    most: number,
  ): Promise<number>
  insert(code: NewSignInCode): Promise<SignInCode>
  byId(id: number): Promise<SignInCode | null>
  /** The browser's newest code for a purpose that is unused, not expired at `now` and has tries left. */
  usable(purpose: CodePurpose, browserHash: Uint8Array, now: number, tries: number): Promise<SignInCode | null>
  /** Takes one try of that code, so that no two callers ever have the same one; null when there is none to take. */
  takeTry(purpose: CodePurpose, browserHash: Uint8Array, now: number, tries: number): Promise<SignInCode | null>
  /** Notes the keyed hash of the code that is mailed. */
  setCode(id: number, codeHash: Uint8Array): Promise<void>
  /** The code works no more. */
  use(id: number, at: number): Promise<void>
  /** Deletes codes asked for before. */
  prune(before: number, limit: number): Promise<void>
  /** Unix seconds until which the session counts as its owner's own; 0 when it never did. */
  freshUntil(sessionId: number): Promise<number>
  setFresh(sessionId: number, until: number): Promise<void>
}

/** A hash that only this service can make. */
export interface KeyedHash {
  /** 32 bytes. `context` keeps one use from another. */
  hash(context: string, text: string): Uint8Array
}
