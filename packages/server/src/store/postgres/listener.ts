import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { backoffMs } from '../../domain/backoff.ts'

const BACKOFF = { firstMs: 100, maxMs: 5_000 }

/** Name and callbacks of a notification connection. */
export interface ListenHandlers {
  /** The `application_name` of the connection. Default: that of the client. */
  readonly name?: string
  readonly onPayload: (payload: string) => void
  /** The connection was lost and restored: notifications may have been missed. */
  readonly onGap: () => void
  readonly onError: (error: unknown) => void
}

/**
 * Listens to a channel on a separate connection, and reconnects whenever it is lost.
 * @returns stops listening
 * @throws when the first connection fails
 */
export async function listenOn(
  createClient: () => pg.Client,
  channel: string,
  handlers: ListenHandlers,
): Promise<() => Promise<void>> {
  const stop = new AbortController()
  let listener = await openListener(createClient(), channel, handlers)

  async function keepListening(): Promise<void> {
    while (!stop.signal.aborted) {
      await listener.lost
      if (stop.signal.aborted) return
      handlers.onError(new Error('the notification connection was lost'))
      const next = await reconnect()
      if (!next) return
      listener = next
      handlers.onGap()
    }
  }

  async function reconnect(): Promise<Listener | null> {
    for (let attempt = 1; ; attempt++) {
      await sleep(backoffMs(attempt, BACKOFF, Math.random()), null, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return null
      try {
        return await openListener(createClient(), channel, handlers)
      } catch (error) {
        handlers.onError(error)
      }
    }
  }

  const ended = keepListening()
  return async () => {
    stop.abort()
    await listener.client.end()
    await ended
  }
}

interface Listener {
  readonly client: pg.Client
  readonly lost: Promise<void>
}

async function openListener(
  client: pg.Client,
  channel: string,
  { name, onPayload }: ListenHandlers,
): Promise<Listener> {
  const lost = new Promise<void>(resolve => client.once('end', () => resolve()))
  // An `end` event follows every error. Without a listener the error would end the process.
  client.on('error', () => {})
  client.on('notification', message => onPayload(message.payload ?? ''))
  await client.connect()
  try {
    // By a statement, because a name in the URL would have precedence over one in the client's options.
    if (name !== undefined) await client.query("SELECT set_config('application_name', $1, false)", [name])
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  } catch (error) {
    await client.end()
    throw error
  }
  return { client, lost }
}
