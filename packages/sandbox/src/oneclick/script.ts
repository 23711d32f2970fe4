/** Faulty responses of the simulated provider. */
export const SCRIPTED_RESPONSES = [
  'bad_request',
  'bad_request_list',
  'unauthorized',
  'forbidden_html',
  'too_many_requests',
  'bad_gateway_html',
  'not_json',
  'hang',
  'reset',
  'cut_off',
  'too_much',
  'redirect',
] as const
export type ScriptedResponse = (typeof SCRIPTED_RESPONSES)[number]

export const ENDPOINTS = ['tokens', 'quote', 'status'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/**
 * The manipulated part of the next quotes. All have a valid signature, except `signature`. `replay` returns the previous
 * quote with its original signature.
 */
export const TAMPERINGS = [
  'none',
  'recipient',
  'refund_to',
  'amount',
  'min_amount_in',
  'destination_asset',
  'deadline',
  'old_timestamp',
  'replay',
  'signature',
] as const
export type Tampering = (typeof TAMPERINGS)[number]

export interface OneClickSettings {
  /** applied to the next quotes */
  tampering: Tampering
  /** the number of status polls that return 404 for each new quote */
  pollsUntilVisible: number
  /** the number of next status polls that return the previous state */
  stalePolls: number
  /** the required X-API-Key header; null: not required */
  apiKey: string | null
}

/** The settings of a provider without faults. */
export const DEFAULT_SETTINGS: Readonly<OneClickSettings> = {
  tampering: 'none',
  pollsUntilVisible: 0,
  stalePolls: 0,
  apiKey: null,
}

interface ScriptEntry {
  readonly endpoint: Endpoint
  readonly response: ScriptedResponse
  remaining: number
}

/** The queue of scripted responses of each endpoint. */
export class ResponseScript {
  #entries: ScriptEntry[] = []

  /** Appends a response for `times` requests to the endpoint. */
  add(endpoint: Endpoint, response: ScriptedResponse, times: number): void {
    this.#entries.push({ endpoint, response, remaining: times })
  }

  clear(): void {
    this.#entries = []
  }

  /** Takes the scripted response of the next request; undefined: the regular response. */
  next(endpoint: Endpoint): ScriptedResponse | undefined {
    const entry = this.#entries.find(item => item.endpoint === endpoint)
    if (entry === undefined) return undefined
    entry.remaining--
    if (entry.remaining <= 0) this.#entries.splice(this.#entries.indexOf(entry), 1)
    return entry.response
  }
}
