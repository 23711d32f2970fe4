import type { Socket } from 'node:net'
import { HttpClientError } from '../../ports/http-client.ts'

/** Counts what a connection receives for one response. */
export interface ReceivedBytes {
  /** Whether a response has begun. Other bytes are left of an earlier one. */
  readonly isAnswered: boolean
  /** @param maxBytes of the body @param fail called when more than a response of that size can need has arrived */
  begin(maxBytes: number, fail: (error: HttpClientError) => void): void
  end(): void
}

/** Bytes of headers, interim responses, and the framing of chunks. */
const MAX_OVERHEAD_BYTES = 128 * 1024
/** Packets may be small, as long as there are few, or large ones make up for them. */
const SMALL_READS = 64
const BYTES_PER_READ = 512
/** The parser handles everything that it is given at once, even when the request has failed meanwhile. */
const SLICE_BYTES = 1_024
/** How a response begins, after empty lines. */
const STATUS_LINE = 'HTTP/'
const START_BYTES = 16

const meters = new WeakMap<Socket, ReceivedBytes>()

/**
 * The meter of a connection. It hands received data to the HTTP parser in slices: a response that exceeds a limit costs
 * at most one slice more.
 */
export function meter(socket: Socket): ReceivedBytes {
  const existing = meters.get(socket)
  if (existing) return existing
  const created = new SocketMeter(socket)
  meters.set(socket, created)
  return created
}

class SocketMeter implements ReceivedBytes {
  #maxBytes = 0
  #fail: ((error: HttpClientError) => void) | null = null
  #bytes = 0
  /** The first received bytes. */
  #start = ''
  #reads = 0

  constructor(socket: Socket) {
    const push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null, encoding) => {
      if (chunk === null) return push(null)
      if (this.#fail === null) {
        // Bytes that belong to no request: left in the connection, the next one would take them for its response.
        socket.destroy()
        return false
      }
      if (this.#bytes < START_BYTES) this.#start += chunk.toString('latin1', 0, START_BYTES - this.#bytes)
      this.#count(chunk.length)
      let wantsMore = true
      for (let at = 0; at < chunk.length && !socket.destroyed; at += SLICE_BYTES)
        wantsMore = push(chunk.subarray(at, at + SLICE_BYTES), encoding)
      return wantsMore
    }
  }

  get isAnswered(): boolean {
    const start = this.#start.trimStart()
    return start !== '' && (start.startsWith(STATUS_LINE) || STATUS_LINE.startsWith(start))
  }

  begin(maxBytes: number, fail: (error: HttpClientError) => void): void {
    this.#maxBytes = maxBytes
    this.#fail = fail
    this.#bytes = 0
    this.#start = ''
    this.#reads = 0
  }

  end(): void {
    this.#fail = null
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#reads += 1
    const maxBytes = this.#maxBytes + MAX_OVERHEAD_BYTES
    if (this.#bytes > maxBytes)
      this.#fail?.(new HttpClientError('too_large', `the response is larger than ${maxBytes} bytes with its headers`))
    else if (this.#reads > SMALL_READS + this.#bytes / BYTES_PER_READ)
      this.#fail?.(new HttpClientError('too_large', 'the response arrives in too many small packets'))
  }
}
