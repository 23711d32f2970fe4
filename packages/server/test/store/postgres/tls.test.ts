import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { freePort } from '../../../../sandbox/test/recorded/guarded-process.ts'
import { openStore } from '../../../src/store/open.ts'
import { connectionOptions } from '../../../src/store/postgres/session.ts'
import { makeCertificate } from '../../harness/certificate.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '../../harness/postgres.ts'

const bin = findPostgres()

describe('sslmode means what it means to libpq', { skip: bin === null && NO_POSTGRES }, () => {
  let connect: (host: string, options: string) => Promise<string>
  let url: (host: string, options: string) => string
  let authority: string
  let other: string

  let server: TestPostgres
  let folder: string
  after(async () => {
    await server?.stop()
    if (folder) rmSync(folder, { recursive: true })
  })

  before(async () => {
    const certificate = makeCertificate('localhost')
    const port = await freePort()
    server = await startPostgres(bin as string, { tls: { port, ...certificate } })
    folder = mkdtempSync(join(tmpdir(), 'zatgate-tls-'))
    authority = join(folder, 'authority.pem')
    other = join(folder, 'other.pem')
    writeFileSync(authority, certificate.cert)
    writeFileSync(other, makeCertificate('localhost').cert)
    url = (host, options) => `postgres://postgres@${host}:${port}/postgres?${options}`
    connect = async (host, options) => {
      const client = new pg.Client(connectionOptions(url(host, options)))
      try {
        await client.connect()
        const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
        await client.end()
        return rows[0].ssl ? 'TLS' : 'plain'
      } catch (error) {
        return (error as Error).message
      }
    }
  })

  test('disable and no mode do not encrypt', async () => {
    assert.equal(await connect('localhost', 'sslmode=disable'), 'plain')
    assert.equal(await connect('localhost', ''), 'plain')
  })

  test('require encrypts to any server, and with an authority to its servers only', async () => {
    assert.equal(await connect('127.0.0.1', 'sslmode=require'), 'TLS')
    assert.equal(await connect('127.0.0.1', `sslmode=require&sslrootcert=${authority}`), 'TLS')
    assert.match(await connect('127.0.0.1', `sslmode=require&sslrootcert=${other}`), /self-signed certificate/)
  })

  test('verify-ca checks the authority, and verify-full the name too', async () => {
    assert.equal(await connect('127.0.0.1', `sslmode=verify-ca&sslrootcert=${authority}`), 'TLS')
    assert.match(await connect('127.0.0.1', `sslmode=verify-ca&sslrootcert=${other}`), /self-signed certificate/)
    assert.equal(await connect('localhost', `sslmode=verify-full&sslrootcert=${authority}`), 'TLS')
    assert.match(await connect('127.0.0.1', `sslmode=verify-full&sslrootcert=${authority}`), /does not match/)
    assert.match(await connect('localhost', 'sslmode=verify-full'), /self-signed certificate/)
  })

  test('the store opens with the mode of its URL, and names it when that fails', async () => {
    const store = await openStore(url('127.0.0.1', 'sslmode=require'))
    await store.close()
    await assert.rejects(
      openStore(url('localhost', 'sslmode=verify-full')),
      /^Error: DATABASE_URL: .* cannot be opened/,
    )
  })
})
