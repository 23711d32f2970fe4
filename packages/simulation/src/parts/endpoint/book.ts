import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import type { Problem } from '../webhook/progress.ts'
import { AccountLog } from './account-log.ts'
import type { KnownEndpoint } from './known-endpoint.ts'
import { createSecretReader, type EndpointRow, type EndpointTarget } from './ledger.ts'
import { hostOf } from './names.ts'

/** A request of an owner for a delivery. */
export type OwnerRequest =
  | { readonly kind: 'test' }
  | { readonly kind: 'resend'; readonly seq: bigint }
  | { readonly kind: 'recover' }

/** The knowledge shared by the judges of endpoints and of their deliveries. */
export class EndpointBook {
  readonly world: World
  readonly log: AccountLog
  /** By their row ids. */
  readonly endpoints = new Map<bigint, KnownEndpoint>()
  /** Requests of owners, by the public id of the endpoint. */
  readonly #requested = new Map<string, OwnerRequest[]>()
  readonly #openSecret: ReturnType<typeof createSecretReader>

  constructor(world: World) {
    this.world = world
    this.log = new AccountLog(world)
    this.#openSecret = createSecretReader(world)
    world.onRestore(() => this.endpoints.clear())
  }

  /** Whether the database has never failed, been replaced or held a poisoned row, and no process stood still alone. */
  get isHealthy(): boolean {
    return !this.world.storeHasFailed && !this.world.poison.hasBegun && this.world.databaseReplacements === 0
  }

  byPublicId(publicId: string): KnownEndpoint | undefined {
    return [...this.endpoints.values()].find(({ row }) => row.public_id === publicId)
  }

  /** An owner begins to ask for something. */
  requests(publicId: string, request: OwnerRequest): void {
    this.#requested.set(publicId, [...(this.#requested.get(publicId) ?? []), request])
  }

  /** Whether its owner has asked for it. A request that is answered late may be carried out at any time. */
  isAskedFor({ public_id: publicId }: EndpointRow, isIt: (request: OwnerRequest) => boolean): boolean {
    return (this.#requested.get(publicId) ?? []).some(isIt)
  }

  targetOf({ url, account_id: account, secret, earlier_secret: earlier, earlier_secret_until: until }: EndpointRow) {
    // A removed endpoint has no secret.
    const open = (sealed: Uint8Array) => (sealed.length === 0 ? '' : this.#openSecret(sealed, account))
    const newest = open(secret)
    const secrets: EndpointTarget['secrets'] = earlier === null ? [newest] : [newest, open(earlier)]
    return { url, secrets, earlierUntilMs: Number(until ?? 0n) * 1000 }
  }

  report(endpoint: EndpointRow, problem: Problem | null): void {
    if (problem) this.fail(problem[0], endpoint, problem[1] ?? '')
  }

  fail(rule: Rule, endpoint: EndpointRow, detail: string): void {
    const about = `${endpoint.schedule} endpoint ${short(endpoint.public_id)} (${hostOf(endpoint)})`
    this.world.fail(rule, `${about}: ${detail}`)
  }
}
