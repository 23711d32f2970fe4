import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const BACKOFF_MS = { first: 100, most: 5_000 }

export interface Hearing {
  readonly onPayload: (payload: string) => void
  /** The connection was lost and is there again: what came in between was not heard. */
  readonly onGap: () => void
  readonly onFault: (error: unknown) => void
}

/**
 * Hears a channel on a connection of its own, and opens another when that is lost, for ever.
 * @returns Ends it.
 * @throws when the first connection fails.
 */
export async function listenOn(make: () => pg.Client, channel: string, hearing: Hearing): Promise<() => Promise<void>> {
  const stop = new AbortController()
  let listener = await openListener(make(), channel, hearing.onPayload)

  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      await listener.lost
      if (stop.signal.aborted) return
      hearing.onFault(new Error('the connection that hears notifications was lost'))
      const next = await reopen()
      if (!next) return
      listener = next
      hearing.onGap()
    }
  }

  async function reopen(): Promise<Listener | null> {
    for (let waitMs = BACKOFF_MS.first; ; waitMs = Math.min(waitMs * 2, BACKOFF_MS.most)) {
      await sleep(waitMs * (0.5 + Math.random() / 2), null, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return null
      try {
        return await openListener(make(), channel, hearing.onPayload)
      } catch (error) {
        hearing.onFault(error)
      }
    }
  }

  const kept = keep()
  return async () => {
    stop.abort()
    await listener.client.end()
    await kept
  }
}

interface Listener {
  readonly client: pg.Client
  readonly lost: Promise<void>
}

async function openListener(
  client: pg.Client,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<Listener> {
  const lost = new Promise<void>(resolve => client.once('end', () => resolve()))
  // Every error is followed by the end that is waited for; unheard, it would end the process.
  client.on('error', () => {})
  client.on('notification', message => onPayload(message.payload ?? ''))
  await client.connect()
  try {
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  } catch (error) {
    await client.end()
    throw error
  }
  return { client, lost }
}
