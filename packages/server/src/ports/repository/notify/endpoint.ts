import type { Endpoint } from '../../../domain/notify/endpoint.ts'
import type { EndpointProgress } from '../../../domain/notify/endpoint-progress.ts'

/** An endpoint with its secrets, sealed by the vault for its account. */
export interface SealedEndpoint extends Endpoint {
  readonly sealedSecret: Uint8Array
  /** Also signs until `earlierSecretUntil`, in Unix seconds. */
  readonly earlierSealedSecret: Uint8Array | null
  readonly earlierSecretUntil: number | null
}

/** An endpoint to deliver to. */
export interface FollowingEndpoint extends SealedEndpoint, EndpointProgress {
  /** The number of the last event that was begun or passed. */
  readonly cursorSeq: number
}

/** An endpoint to insert. */
export type NewEndpoint = Omit<SealedEndpoint, 'id' | 'failingSince' | 'pausedAt'>
/** The fields that its owner changes. */
export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'types' | 'greenfieldEvents' | 'schedule' | 'enabled'>>

/** The endpoints of accounts. */
export interface EndpointRepository {
  /** Inserts an endpoint that follows the events from now on. */
  insert(endpoint: NewEndpoint): Promise<Endpoint>
  /** Oldest first. */
  ofAccount(accountId: number): Promise<Endpoint[]>
  byPublicId(accountId: number, publicId: string): Promise<Endpoint | null>
  /** Locks an endpoint until the transaction ends. */
  lock(accountId: number, publicId: string): Promise<FollowingEndpoint | null>
  update(id: number, change: EndpointChange, at: number): Promise<void>
  /** Follows the events from now on, without the failures before. Ends what is not delivered as canceled. */
  restart(id: number): Promise<void>
  setSecret(
    id: number,
    secrets: Pick<SealedEndpoint, 'sealedSecret' | 'earlierSealedSecret' | 'earlierSecretUntil'>,
    at: number,
  ): Promise<void>
  /** Removes the endpoint with its secrets. Ends what is not delivered as canceled. @param at Unix seconds */
  remove(id: number, at: number): Promise<void>
  /** Goes back to the event after this number, if the endpoint is further, and looks for something to send. */
  goBackTo(id: number, seq: number, nowMs: number): Promise<void>

  // For delivery.

  /** Accounts with endpoints and new events. */
  listNews(limit: number): Promise<number[]>
  /** Makes the endpoints of these accounts due. They are locked before the numbers of events, as by a test event. */
  wake(nowMs: number, accountIds: readonly number[]): Promise<void>
  /** Endpoints that may have something to send, longest due first, that are not set aside. */
  listDue(nowMs: number, page: DuePage): Promise<DueEndpoint[]>
  /** Locks a due endpoint. Null when it is not due any more, or another transaction has locked it. */
  lockDue(publicId: string, nowMs: number): Promise<FollowingEndpoint | null>
  /** Locks an endpoint that exists. */
  lockByPublicId(publicId: string): Promise<FollowingEndpoint | null>
  /** Stores the state. @param dueAtMs when the endpoint is due next; null: after the next event */
  advance(id: number, state: EndpointProgress & { readonly cursorSeq: number }, dueAtMs: number | null): Promise<void>
  /** When the next endpoint is due, in Unix milliseconds; 0 when endpoints are to be woken; null: never. */
  nextDueAtMs(): Promise<number | null>

  /** Deletes rows of endpoints that were removed before a time and have no deliveries. @returns their number */
  prune(before: number, limit: number, skip?: number): Promise<number>

  // For a rotation of the encryption key.

  listAfter(afterId: number, limit: number): Promise<SealedEndpoint[]>
  /** Replaces the sealed bytes. False, and nothing is written, unless they are still those that were read. */
  reseal(id: number, read: Uint8Array, sealedSecret: Uint8Array, column: 'secret' | 'earlier_secret'): Promise<boolean>
}

/** An endpoint that may have something to send. */
export type DueEndpoint = Pick<Endpoint, 'id' | 'publicId' | 'accountId' | 'failingSince'>

/** How many of the due endpoints are listed. */
export interface DuePage {
  readonly limit: number
  /** Maximum of those whose last attempt failed. */
  readonly failing: number
  /** Row ids of endpoints that are left out. */
  readonly except: readonly number[]
}
