import type { Connection } from './connection.ts'

/** The committed state of one time. */
export interface Snapshot {
  /** Null as long as nothing was committed since. */
  pinned: Connection | null
}

/**
 * Snapshots of the committed state. A snapshot needs a separate connection only when something is committed while it is
 * open.
 */
export class Snapshots {
  readonly #open: () => Connection
  readonly #idle: Connection[] = []
  readonly #taken = new Set<Snapshot>()

  /** @param open opens a connection */
  constructor(open: () => Connection) {
    this.#open = open
  }

  take(): Snapshot {
    const snapshot = { pinned: null }
    this.#taken.add(snapshot)
    return snapshot
  }

  end(snapshot: Snapshot): void {
    this.#taken.delete(snapshot)
    if (snapshot.pinned === null) return
    snapshot.pinned.run('ROLLBACK')
    this.#idle.push(snapshot.pinned)
    snapshot.pinned = null
  }

  /** Keeps the present state for all open snapshots. Call this before each commit. */
  pin(): void {
    for (const snapshot of this.#taken) {
      if (snapshot.pinned !== null) continue
      const connection = this.#idle.pop() ?? this.#open()
      connection.run('BEGIN')
      // SQLite takes its snapshot with the first read.
      connection.run('SELECT 1 FROM sqlite_schema LIMIT 1')
      snapshot.pinned = connection
    }
  }

  close(): void {
    for (const connection of this.#idle) connection.close()
  }
}
