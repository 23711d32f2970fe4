import { ZatgateError } from './error.ts'
import { pause } from './pause.ts'
import type { InvoiceMessage } from './wire.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
/** After so long a time of connections that bring nothing, following fails. */
const GIVE_UP_MS = 60_000
const FIRST_MESSAGE_MS = 10_000
/** A connection can die without a word: after so long a silence a new one asks for the state. */
const SILENCE_MS = 120_000
/** Each message is a whole state, so a reader that falls behind loses nothing but the oldest. */
const MAX_WAITING = 100

/** The messages of an invoice's WebSocket at `url`, over as many connections as it takes. See ZatgateClient.followInvoice. */
export async function* follow(url: string, signal?: AbortSignal): AsyncGenerator<InvoiceMessage, void, undefined> {
  if (typeof WebSocket === 'undefined') throw new TypeError('following needs a global WebSocket: Node 22, or a browser')
  let pauseMs = FIRST_PAUSE_MS
  let failingSinceMs: number | null = null
  while (!signal?.aborted) {
    failingSinceMs ??= Date.now()
    for await (const message of messages(url, signal)) {
      if (message.status === 'not_found') throw new ZatgateError(404, 'no_such_invoice', 'no such invoice')
      yield message
      if (isFinal(message)) return
      pauseMs = FIRST_PAUSE_MS
      failingSinceMs = null
    }
    if (failingSinceMs !== null && Date.now() - failingSinceMs > GIVE_UP_MS) {
      throw new ZatgateError(0, 'network_error', 'the service was not reached')
    }
    await pause(pauseMs * (0.5 + Math.random() / 2), signal)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
  }
}

/** What one connection brings, until it ends for whatever reason. */
async function* messages(url: string, signal?: AbortSignal): AsyncGenerator<InvoiceMessage, void, undefined> {
  const socket = new WebSocket(url)
  const waiting: InvoiceMessage[] = []
  let ended = false
  let wake = () => {}
  const end = () => {
    ended = true
    wake()
  }
  let silence = setTimeout(end, FIRST_MESSAGE_MS)
  socket.addEventListener('message', ({ data }) => {
    clearTimeout(silence)
    silence = setTimeout(end, SILENCE_MS)
    const message = parse(data)
    if (!message) return end()
    waiting.push(message)
    if (waiting.length > MAX_WAITING) waiting.shift()
    wake()
  })
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)
  signal?.addEventListener('abort', end)
  try {
    while (!signal?.aborted) {
      const message = waiting.shift()
      if (message) yield message
      else if (ended) return
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  } finally {
    clearTimeout(silence)
    signal?.removeEventListener('abort', end)
    socket.close()
  }
}

function parse(data: unknown): InvoiceMessage | null {
  try {
    const message = JSON.parse(String(data)) as InvoiceMessage | null
    return typeof message?.status === 'string' ? message : null
  } catch {
    return null
  }
}

function isFinal({ status }: InvoiceMessage): boolean {
  return status === 'paid' || status === 'underpaid' || status === 'expired'
}
