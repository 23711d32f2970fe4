import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'
import { onPostgres } from '../../harness/databases.ts'

const LIMITS = { maxConnections: 2, lockTimeoutMs: 1_500 }

/**
 * A way to the database that can let connections start and then say nothing, as PgBouncer does whose pool is used up, or
 * a server during a fail-over.
 */
async function stallableWay(t: TestContext, direct: string): Promise<{ url: string; stall(): void; recover(): void }> {
  const socketOf = (folder: string) => join(folder, '.s.PGSQL.5432')
  const folder = temporaryFolder(stackOf(t))
  const clients = new Set<net.Socket>()
  let stalls = false
  const server = net.createServer(client => {
    const upstream = net.connect(socketOf(new URL(direct).searchParams.get('host') as string))
    let messages = 0
    clients.add(client)
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('close', () => client.destroy())
    client.on('data', data => {
      messages += 1
      if (!stalls || messages === 1) upstream.write(data)
    })
    upstream.on('data', data => client.write(data))
  })
  await once(server.listen(socketOf(folder)), 'listening')
  const url = new URL(direct)
  url.searchParams.set('host', folder)
  const cut = () => {
    for (const client of clients) client.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  return {
    url: url.href,
    stall() {
      stalls = true
      cut()
    },
    recover() {
      stalls = false
    },
  }
}

onPostgres(engine => {
  test('a connection that stalls after its start delays a request by its time limit, and the next ones work', async t => {
    const { url: direct } = await engine.createDatabase(t)
    const { url, stall, recover } = await stallableWay(t, direct)
    const store = await openStore(url, { limits: LIMITS })
    t.after(() => store.close())
    const read = () => store.read(tx => tx.chain.syncedThrough())
    await read()
    stall()
    for (const outcome of await Promise.allSettled([read(), read(), read()]))
      assert.equal(outcome.status === 'rejected' && outcome.reason.kind, 'unavailable')
    recover()
    await read()
  })

  test('the service waits for a server that stalls, and stops waiting when it is asked to', async t => {
    const { url: direct } = await engine.createDatabase(t)
    const { url, stall } = await stallableWay(t, direct)
    stall()
    const stop = new AbortController()
    const reasons: string[] = []
    const opening = openStore(url, {
      limits: LIMITS,
      migration: { signal: stop.signal },
      onWait(reason) {
        reasons.push(reason)
        stop.abort()
      },
    })
    await assert.rejects(opening, { name: 'AbortError' })
    assert.match(reasons.join(), /the server does not respond/)
  })
})
