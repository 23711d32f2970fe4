import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { makeCertificate } from '../harness/certificate.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../harness/postgres.ts'
import { deployText } from './files.ts'

const bin = findPostgres()

test('the health check of PostgreSQL fails while its image initialises it, and holds once it listens', {
  skip: bin === null && NO_POSTGRES,
}, async t => {
  const { services } = parse(deployText('compose/compose.yaml'), { merge: true })
  const [kind, program, ...args] = services.postgres.healthcheck.test as string[]
  assert.deepEqual([kind, program], ['CMD', 'pg_isready'])
  const isHealthy = (folder: string, port: number) => {
    const env = { ...process.env, PGHOST: folder, PGPORT: String(port) }
    return spawnSync(join(bin as string, 'pg_isready'), args, { env }).status === 0
  }
  // The server of the initialisation has a socket and no port.
  const initialising = await startPostgres(bin as string)
  t.after(() => initialising.stop())
  assert.equal(isHealthy(initialising.folder, 5432), false)
  const port = await freePort()
  const ready = await startPostgres(bin as string, { tls: { port, ...makeCertificate('localhost') } })
  t.after(() => ready.stop())
  assert.equal(isHealthy(ready.folder, port), true)
})
