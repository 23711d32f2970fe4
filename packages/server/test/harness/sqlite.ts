import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import { openStore } from '../../src/store/open.ts'

/** Opens a store on an empty SQLite file. Both are removed after the test. */
export async function sqliteStore(test: TestContext): Promise<{ store: Store; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-test-'))
  const file = join(folder, 'test.db')
  const store = await openStore(`sqlite:${file}`)
  test.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { store, file }
}
