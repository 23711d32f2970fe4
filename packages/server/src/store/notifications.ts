import type { Topic } from '../ports.ts'
import { TOPICS } from '../ports.ts'

/** Who is to be woken in this process. */
export interface Wakes {
  listen(topic: Topic, wake: () => void): () => void
  fire(topics: Iterable<Topic>): void
}

/** @param onFault Told when a listener throws: its fault is not the writer's. */
export function createWakes(onFault: (error: unknown) => void): Wakes {
  const listeners = new Map(TOPICS.map(topic => [topic, new Set<{ wake: () => void }>()]))
  return {
    listen(topic, wake) {
      const listener = { wake }
      listeners.get(topic)?.add(listener)
      return () => listeners.get(topic)?.delete(listener)
    },
    fire(topics) {
      for (const topic of topics) {
        for (const { wake } of listeners.get(topic) ?? []) {
          try {
            wake()
          } catch (error) {
            onFault(error)
          }
        }
      }
    },
  }
}
