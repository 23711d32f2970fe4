import { randomUUID } from 'node:crypto'
import type { Topic } from '../../ports/store.ts'
import { TOPICS } from '../../ports/store.ts'
import type { PgClient, PgSource } from './driver.ts'

const CHANNEL = 'zatgate'

/** Notifications between processes. Each process notifies its own listeners itself. */
export interface PgNotifications {
  /** Notifies the other processes of the topics when the transaction on this connection commits. */
  send(client: PgClient, topics: ReadonlySet<Topic>): Promise<void>
  /** @returns stops receiving notifications */
  receive(onTopics: (topics: Iterable<Topic>) => void): Promise<() => Promise<void>>
}

export function createPgNotifications(source: PgSource): PgNotifications {
  const ownId = randomUUID()
  return {
    async send(client, topics) {
      if (topics.size > 0) await client.query('SELECT pg_notify($1, $2)', [CHANNEL, payloadOf(topics, ownId)])
    },
    receive: onTopics =>
      source.listen(
        CHANNEL,
        payload => onTopics(topicsOf(payload, ownId)),
        () => onTopics(TOPICS),
      ),
  }
}

/** A notification names its sender, which has already notified its own listeners, and its topics. */
function payloadOf(topics: Iterable<Topic>, sender: string): string {
  return `${sender} ${[...topics].join(' ')}`
}

function topicsOf(payload: string, ownId: string): Topic[] {
  const [sender, ...topics] = payload.split(' ')
  return sender === ownId ? [] : TOPICS.filter(topic => topics.includes(topic))
}
