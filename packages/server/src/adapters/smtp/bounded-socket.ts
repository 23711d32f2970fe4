import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** For all replies and TLS records of a connection. 50 mails and a handshake need about 40,000 bytes. */
const MAX_BYTES = 128 * 1024
/** A reply is usually one packet, and a mail has seven. */
const MAX_READS = 4_096

/**
 * A connection to a mail server that is destroyed when it receives more than the replies to some 50 mails. The bytes are
 * counted below TLS, so the limits hold for every way to connect.
 * @returns a connection that is being established; it emits `connect`, and `error` instead when it fails
 */
export function connectBounded(host: string, port: number): BoundedSocket {
  return new BoundedSocket(connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }))
}

export class BoundedSocket extends Duplex {
  readonly #socket: Socket
  #bytes = 0
  #reads = 0

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('connect', () => this.emit('connect'))
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', error => this.destroy(error))
    socket.on('close', () => this.destroy())
    socket.on('end', () => this.push(null))
    socket.on('data', chunk => this.#receive(chunk))
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort
  }

  /** Milliseconds of silence before it emits `timeout`; 0: never. */
  readonly setTimeout = (ms: number): this => {
    this.#socket.setTimeout(ms)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    // After the error of the TLS connection above it, which names the reason, such as a certificate.
    setImmediate(done, error)
  }

  #receive(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#reads += 1
    if (this.#bytes > MAX_BYTES) this.destroy(new Error(`the mail server sent more than ${MAX_BYTES} bytes`))
    else if (this.#reads > MAX_READS) this.destroy(new Error('the mail server sent too many small packets'))
    else if (!this.push(chunk)) this.#socket.pause()
  }
}
