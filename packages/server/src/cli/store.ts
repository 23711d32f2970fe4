import { createDataDir } from '../adapters/system/data-dir.ts'
import type { Config } from '../config/settings.ts'
import type { Store } from '../ports/store.ts'
import { openStore } from '../store/open.ts'

/** Opens the database for one command; the service may be running at the same time. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  createDataDir(config.dataDir)
  const store = await openStore(config.databaseUrl)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
