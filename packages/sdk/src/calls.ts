import { webCrypto } from '#web-crypto'
import type { CallOptions, CreateOptions } from './options.ts'
import type { TextResponse, Transport } from './transport.ts'

interface Credentials {
  readonly apiKey: string | undefined
  readonly sessionToken: string | undefined
}

/** The calls of a client: its transport with its credentials. */
export class Calls {
  readonly transport: Transport
  readonly #credentials: Credentials

  constructor(transport: Transport, credentials: Credentials) {
    this.transport = transport
    this.#credentials = credentials
  }

  /** For calls that say more to the owner. */
  get knownOwner(): string | undefined {
    return this.#credentials.sessionToken ?? this.#scopedKey
  }

  get #scopedKey(): string | undefined {
    return this.#credentials.apiKey?.startsWith('zgk_') ? this.#credentials.apiKey : undefined
  }

  /** A call with the session token. */
  session<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
    return this.transport.json(method, path, { token: this.sessionToken(), body, signal: options.signal })
  }

  /** A file, with the session token. */
  stream(path: string, options: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.transport.stream('GET', path, { token: this.sessionToken(), signal: options.signal })
  }

  /** A call with the session token, or else with a scoped API key. */
  owner<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
    return this.transport.json(method, path, { token: this.ownerToken(), body, signal: options.signal })
  }

  /** Reads a text, with the session token, or else with a scoped API key. */
  ownerText(path: string, options: CallOptions & { waitMs: number; retries?: number }): Promise<TextResponse> {
    return this.transport.text('GET', path, { token: this.knownOwner ?? this.sessionToken(), ...options })
  }

  /** A call that creates something once, however often it is repeated. */
  create<T>(path: string, token: string, body: unknown, options: CreateOptions): Promise<T> {
    return this.transport.json('POST', path, {
      token,
      body,
      headers: { 'idempotency-key': options.idempotencyKey ?? webCrypto.randomUUID() },
      retryable: true,
      signal: options.signal,
    })
  }

  /** @throws TypeError without one */
  apiKey(): string {
    return this.#credentials.apiKey ?? missingCredential('apiKey')
  }

  /** The session token, or else a scoped API key. @throws TypeError without either */
  ownerToken(): string {
    return this.knownOwner ?? this.sessionToken()
  }

  /** @throws TypeError without one */
  sessionToken(): string {
    return this.#credentials.sessionToken ?? missingCredential('sessionToken')
  }
}

function missingCredential(option: string): never {
  throw new TypeError(`this call needs the client's ${option} option`)
}

/** An id as a segment of a path. */
export function segment(id: string): string {
  return encodeURIComponent(id)
}

/** The query string of the members that are given. */
export function query(members: object): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.set(name, String(value))
  const text = pairs.toString()
  return text && `?${text}`
}
