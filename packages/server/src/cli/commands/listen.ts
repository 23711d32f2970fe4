import { createHmac } from 'node:crypto'
import { type AccountEvent, ZatgateClient, ZatgateError } from '@zatgate/sdk'
import { systemClock } from '../../adapters/system/clock.ts'
import type { EventType } from '../../domain/notify/event.ts'
import { WEBHOOK_SECRET_PREFIX, webhookUrlProblem } from '../../domain/notify/webhook.ts'
import type { Clock } from '../../ports/clock.ts'
import { accountAccess } from '../account-access.ts'
import { UsageError } from '../argument.ts'
import type { Context } from '../context.ts'
import { type ForwardAttempt, forward } from '../forward.ts'
import { newestSeq } from '../newest-event.ts'
import { onStopSignal } from '../stop-signal.ts'

export interface ListenArguments {
  readonly 'forward-to': string
  readonly types: readonly EventType[] | undefined
  readonly after: number | undefined
  readonly url: string | undefined
  readonly 'api-key': string | undefined
}

/** Runs until a stop signal, which is its regular end. */
export async function listen(args: ListenArguments, context: Context, clock: Clock = systemClock): Promise<void> {
  const { 'forward-to': target, types } = args
  const { out } = context
  const problem = webhookUrlProblem(target, true)
  if (problem !== null) throw new UsageError(`--forward-to: ${problem}`)
  const { baseUrl, credential, stableKey } = accountAccess(args, context)
  const { events } = new ZatgateClient({ baseUrl, ...credential })
  const stop = new AbortController()
  const { signal } = stop
  const release = onStopSignal(() => stop.abort())
  const progress = { after: args.after }
  try {
    progress.after ??= await newestSeq(events, signal)
    const { after } = progress
    const secret = listenSecret(stableKey, target)
    const from = args.after === undefined ? `new events, which are those after ${after}` : `events after ${after}`
    out.result({ secret, url: baseUrl, forward_to: target, after }, [
      `signing secret: ${secret} (the same each time, for this key and URL)`,
      `forwards ${from}, from ${baseUrl} to ${target}; Ctrl-C ends it`,
    ])
    const onRetry = ({ message }: ZatgateError, pauseMs: number) =>
      out.note(`${timeOf(clock.nowMs())}  ${message}; again in ${seconds(pauseMs)}`)
    const followed = events.follow({ after, signal, onRetry, ...(types && { types }) })
    const onAttempt = (attempt: ForwardAttempt) => {
      out.result(attemptRow(attempt), [attemptLine(attempt)])
      if (attempt.error === null) progress.after = attempt.event.seq
    }
    await forward({ events: followed, url: target, secret, clock, signal, onAttempt })
  } catch (error) {
    if (!signal.aborted) throw explained(error)
  } finally {
    release()
    if (progress.after !== undefined && (signal.aborted || progress.after !== args.after))
      out.result({ stopped: true, after: progress.after }, [`stopped; to go on: --after ${progress.after}`])
  }
}

/** A secret that needs no storage: a function of the key and the receiver, from which the key cannot be computed. */
export function listenSecret(key: string, target: string): string {
  return WEBHOOK_SECRET_PREFIX + createHmac('sha256', key).update(`zatgate listen ${target}`).digest('base64')
}

function attemptRow({ event, atMs, status, error, durationMs, retryInMs }: ForwardAttempt) {
  const { seq, id, type } = event
  const attempt = { status, error, duration_ms: durationMs, retry_in_ms: retryInMs }
  return { at: new Date(atMs).toISOString(), seq, id, type, invoice: invoiceOf(event), ...attempt }
}

function attemptLine({ event, atMs, status, error, durationMs, retryInMs }: ForwardAttempt): string {
  const { seq, type } = event
  const again = retryInMs === null ? [] : [`again in ${seconds(retryInMs)}`]
  const result = error ?? String(status)
  return [timeOf(atMs), seq, type, invoiceOf(event) ?? '-', result, `${durationMs} ms`, ...again].join('  ')
}

/** The first characters of an id, which is the access token of its invoice. */
function invoiceOf({ body }: AccountEvent): string | null {
  return body.invoice_id?.slice(0, 8) ?? null
}

/** UTC. */
function timeOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(11, 19)}Z`
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}

function explained(error: unknown): unknown {
  if (!(error instanceof ZatgateError)) return error
  const { first_seq: first, detail } = error.body ?? {}
  if (error.code === 'events_pruned' && first !== undefined)
    return new Error(`events before ${first} are no longer kept: begin with --after ${first - 1}`)
  return detail === undefined ? error : new Error(`${error.message}: ${detail}`, { cause: error })
}
