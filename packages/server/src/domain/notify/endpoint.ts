import { DAY_SECS } from '../time.ts'
import type { Dialect } from './dialect.ts'
import type { EventType } from './event.ts'
import type { GreenfieldEvent } from './greenfield-event.ts'
import { WEBHOOK_SECRET_PREFIX } from './webhook.ts'

/** Endpoints of an account beside its webhook. */
export const MAX_ENDPOINTS = 10

/** With this number of open deliveries, an endpoint is sent no further event, and test events and resends are refused. */
export const MAX_OPEN_OF_ENDPOINT = 300

/** After a rotation the earlier secret of an endpoint also signs for this long. */
export const EARLIER_SECRET_SECS = DAY_SECS

/** Deliveries are known for this long, so that an endpoint can be sent what it has not received since then. */
export const MAX_RECOVERY_SECS = 30 * DAY_SECS

export const ENDPOINT_SECRET_CHARS = { min: 16, max: 256 } as const

/** When a failed delivery is tried again, as an owner chooses. */
export const SCHEDULES = ['standard', 'persistent'] as const
export type ChosenSchedule = (typeof SCHEDULES)[number]
/** That of an endpoint of BTCPay's API, and the one without automatic redelivery. */
export type Schedule = ChosenSchedule | 'greenfield' | 'once'

/** Where events of an account are sent, beside its webhook. */
export interface Endpoint {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  readonly url: string
  readonly dialect: Dialect
  /** Null: all types but `test`. In BTCPay's dialect those that its events come from. */
  readonly types: readonly EventType[] | null
  /** The events of BTCPay's dialect that it gets. Null: all, or it speaks our own. */
  readonly greenfieldEvents: readonly GreenfieldEvent[] | null
  /** The name of the API key that made it, in BTCPay's dialect. */
  readonly application: string | null
  readonly schedule: Schedule
  readonly enabled: boolean
  /** Since when all attempts have failed, in Unix seconds. Null: the last one succeeded, or there was none. */
  readonly failingSince: number | null
  /** When a persistent endpoint was paused after days of failures. */
  readonly pausedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Whether events are sent to the endpoint. */
export function isActive({ enabled, pausedAt }: Pick<Endpoint, 'enabled' | 'pausedAt'>): boolean {
  return enabled && pausedAt === null
}

/** The seal context of the secrets of an account's endpoints. */
export function endpointSecretSealContext(accountId: number) {
  return { table: 'endpoints', column: 'secret', row: accountId } as const
}

const MIN_KEY_BYTES = 16
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Plugins choose secrets of their own making, and sign with the text as it is. */
const GREENFIELD_SECRET_CHARS = { min: 8, max: 256 } as const

/** Describes why a secret that a client has chosen is refused; null for a good one. */
export function endpointSecretProblem(text: string, dialect: Dialect): string | null {
  if (dialect === 'greenfield') {
    const { min, max } = GREENFIELD_SECRET_CHARS
    const isGood = /^[\x20-\x7e]+$/.test(text) && text.length >= min && text.length <= max
    return isGood ? null : `${min} to ${max} printable ASCII characters`
  }
  const { min, max } = ENDPOINT_SECRET_CHARS
  if (!/^[\x21-\x7e]+$/.test(text) || text.length < min || text.length > max)
    return `${min} to ${max} printable ASCII characters without spaces`
  if (!text.startsWith(WEBHOOK_SECRET_PREFIX)) return null
  // Standard Webhooks signs with the decoded bytes: of anything else a receiver would make another key, or none.
  const key = text.slice(WEBHOOK_SECRET_PREFIX.length)
  return BASE64.test(key) && Buffer.from(key, 'base64').length >= MIN_KEY_BYTES
    ? null
    : `after ${WEBHOOK_SECRET_PREFIX} the base64 of at least ${MIN_KEY_BYTES} bytes`
}
