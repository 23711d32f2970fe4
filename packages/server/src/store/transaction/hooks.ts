import type { Topic } from '../../ports/store.ts'

/** Work that runs after the use case and before its commit. */
export type DeferredWork = () => Promise<void>

/** Work that a repository schedules for the end of its transaction. */
export interface TxHooks {
  /** Runs `work` after the use case and before its commit. */
  beforeCommit(work: DeferredWork): void
  /** Notifies the listeners of the topic after the commit. */
  notify(topic: Topic): void
}
