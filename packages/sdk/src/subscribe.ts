import { delay } from './delay.ts'
import { ZatgateError } from './error.ts'
import { isFinal } from './final.ts'
import { jittered } from './jitter.ts'
import { Patience } from './patience.ts'
import type { InvoiceMessage } from './wire.ts'

const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 10_000
/** A connection without a first message is closed after this time. */
const FIRST_MESSAGE_TIMEOUT_MS = 10_000
/** An attempt, its delay, and what a busy page adds. */
const MAX_STEP_MS = 2 * (FIRST_MESSAGE_TIMEOUT_MS + MAX_DELAY_MS)
/** A connection can break without a close event. After this long without a message a new connection replaces it. */
const IDLE_TIMEOUT_MS = 120_000
/** Each message is a complete state, so a slow reader may skip the oldest ones. */
const MAX_QUEUED = 100

/** Yields the messages of the invoice WebSocket at `url` and reconnects as needed. See ZatgateClient.followInvoice. */
export async function* subscribe(url: string, signal?: AbortSignal): AsyncGenerator<InvoiceMessage, void, undefined> {
  let delayMs = MIN_DELAY_MS
  const patience = new Patience(MAX_STEP_MS)
  while (!signal?.aborted) {
    let hasMessage = false
    for await (const message of messages(url, signal)) {
      if (message.status === 'not_found') throw new ZatgateError(404, 'no_such_invoice', 'no such invoice')
      yield message
      if (isFinal(message)) return
      delayMs = MIN_DELAY_MS
      hasMessage = true
    }
    if (hasMessage) patience.succeeded()
    else if (patience.failed()) {
      throw new ZatgateError(0, 'network_error', 'the service could not be reached')
    }
    await delay(jittered(delayMs), signal)
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
  }
}

/** Yields the messages of one connection until it ends. */
async function* messages(url: string, signal?: AbortSignal): AsyncGenerator<InvoiceMessage, void, undefined> {
  const socket = new WebSocket(url)
  const queue: InvoiceMessage[] = []
  let ended = false
  let notify = () => {}
  const end = () => {
    ended = true
    notify()
  }
  let idleTimer = setTimeout(end, FIRST_MESSAGE_TIMEOUT_MS)
  socket.addEventListener('message', ({ data }) => {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(end, IDLE_TIMEOUT_MS)
    const message = parse(data)
    if (!message) return end()
    queue.push(message)
    if (queue.length > MAX_QUEUED) queue.shift()
    notify()
  })
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)
  signal?.addEventListener('abort', end)
  try {
    while (!signal?.aborted) {
      const message = queue.shift()
      if (message) yield message
      else if (ended) return
      else
        await new Promise<void>(resolve => {
          notify = resolve
        })
    }
  } finally {
    clearTimeout(idleTimer)
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
