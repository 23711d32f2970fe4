import type { Topic } from '../ports/store.ts'
import { TOPICS } from '../ports/store.ts'

/** The listeners of this process, by topic. */
export interface Notifications {
  listen(topic: Topic, callback: () => void): () => void
  /** Calls the listeners of these topics. */
  notify(topics: Iterable<Topic>): void
}

/** @param onError Called when a listener throws; the writer is not affected. */
export function createNotifications(onError: (error: unknown) => void): Notifications {
  const listeners = new Map(TOPICS.map(topic => [topic, new Set<{ callback: () => void }>()]))
  return {
    listen(topic, callback) {
      const listener = { callback }
      listeners.get(topic)?.add(listener)
      return () => listeners.get(topic)?.delete(listener)
    },
    notify(topics) {
      for (const topic of topics) {
        for (const { callback } of listeners.get(topic) ?? []) {
          try {
            callback()
          } catch (error) {
            onError(error)
          }
        }
      }
    },
  }
}
