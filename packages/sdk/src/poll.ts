import { delay } from './delay.ts'
import { ZatgateError } from './error.ts'
import { isFinal } from './final.ts'
import { Patience } from './patience.ts'
import type { Invoice, InvoiceMessage } from './wire.ts'

const INTERVAL_MS = 2_000
/** Pauses between the attempts of a request, the interval, and what a busy page adds. */
const PAUSES_MS = 15_000

/**
 * Reads an invoice again and again, and yields its state and every change. See ZatgateClient.followInvoice.
 * @param maxReadMs the longest time of a read with its retries, without the pauses between them
 */
export async function* poll(
  read: () => Promise<Invoice>,
  maxReadMs: number,
  signal?: AbortSignal,
  wait: typeof delay = delay,
): AsyncGenerator<InvoiceMessage, void, undefined> {
  let previous = ''
  const patience = new Patience(maxReadMs + PAUSES_MS)
  while (!signal?.aborted) {
    try {
      const invoice = await read()
      patience.succeeded()
      const { status, swap, received_zat } = invoice
      const state = JSON.stringify([status, swap?.status, received_zat])
      const message: InvoiceMessage = swap ? { status, swap_status: swap.status } : { status }
      if (state !== previous) yield message
      previous = state
      if (isFinal(message)) return
    } catch (error) {
      if (signal?.aborted) return
      if (!isTransient(error) || patience.failed()) throw error
    }
    await wait(INTERVAL_MS, signal)
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof ZatgateError && (error.status === 0 || error.status === 429 || error.status >= 500)
}
