/** How the stand-in answers instead of as it should. */
export const ANSWERS = [
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
export type ScriptedAnswer = (typeof ANSWERS)[number]

export const ENDPOINTS = ['tokens', 'quote', 'status'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/**
 * What a quote says that it should not. `signature` is the only one whose signature does not fit the rest. `replay`
 * answers with the quote before, as it was signed then.
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
  /** said by the next quotes */
  tampering: Tampering
  /** how many looks at each new quote find nothing */
  hiddenLooks: number
  /** how many of the next looks get the state before the present one */
  staleLooks: number
  /** X-API-Key that every request must carry; null: none is needed */
  apiKey: string | null
}

export const FAITHFUL: Readonly<OneClickSettings> = {
  tampering: 'none',
  hiddenLooks: 0,
  staleLooks: 0,
  apiKey: null,
}

interface Scripted {
  readonly endpoint: Endpoint
  readonly answer: ScriptedAnswer
  left: number
}

/** What is to go wrong at which endpoint, and how often. */
export class Script {
  #scripted: Scripted[] = []

  /** The next `times` requests to the endpoint get this answer, after those scripted before. */
  add(endpoint: Endpoint, answer: ScriptedAnswer, times: number): void {
    this.#scripted.push({ endpoint, answer, left: times })
  }

  clear(): void {
    this.#scripted = []
  }

  /** The answer for this request, or undefined where it should get the true one. */
  next(endpoint: Endpoint): ScriptedAnswer | undefined {
    const scripted = this.#scripted.find(entry => entry.endpoint === endpoint)
    if (scripted === undefined) return undefined
    scripted.left--
    if (scripted.left <= 0) this.#scripted.splice(this.#scripted.indexOf(scripted), 1)
    return scripted.answer
  }
}
