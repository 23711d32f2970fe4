import type { Endpoint, Schedule } from '../../domain/notify/endpoint.ts'
import type { EventType } from '../../domain/notify/event.ts'
import type { GreenfieldEvent } from '../../domain/notify/greenfield-event.ts'

/** The terms of a new endpoint. */
export interface EndpointRequest {
  readonly url: string
  /** Default: all types but `test`. */
  readonly types?: readonly EventType[] | null
  /** Default: `standard`. */
  readonly schedule?: Schedule
  /** Default: true. */
  readonly enabled?: boolean
  /** Default: a generated one. */
  readonly secret?: string
  /** It gets the events as BTCPay sends them. Default: as this service does. */
  readonly greenfield?: GreenfieldTerms
}

interface GreenfieldTerms {
  /** Null: all. */
  readonly events: readonly GreenfieldEvent[] | null
  /**
   * The name of the API key; null: the owner adds it by hand. An endpoint of the same application with the same URL is
   * replaced.
   */
  readonly application: string | null
}

/**
 * The events of BTCPay's dialect decide which of our own the endpoint follows. After another secret the earlier one also
 * signs for a day.
 */
export interface EndpointChangeRequest extends Partial<Omit<EndpointRequest, 'greenfield'>> {
  readonly greenfieldEvents?: readonly GreenfieldEvent[] | null
}

/** Plugins make another webhook each time that they are set up: the secret of the earlier one is forgotten there. */
export function isReplaced(earlier: Endpoint, url: string, { application }: GreenfieldTerms): boolean {
  const isSame = application !== null && earlier.application === application
  return earlier.dialect === 'greenfield' && earlier.url === url && isSame
}
