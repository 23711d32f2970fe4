import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withStore } from '../../../src/cli/store.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { Guide } from '../../docs/guide.ts'
import { runCommand } from '../../harness/command-line.ts'
import { DUE } from '../../harness/endpoints.ts'
import { insertFailed } from '../../harness/failed-delivery.ts'
import { makeAccount } from '../../harness/fixtures.ts'

test('webhooks resend, as the guide writes it, queues the failed events of an account again, once', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-webhooks-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: dir }
  let email = ''
  await withStore(
    loadConfig(env),
    async store => {
      const account = await makeAccount(store)
      email = account.email
      const times = { createdAt: 1, updatedAt: 1 }
      const webhook = { accountId: account.id, url: 'https://a.example/', sealedSecret: Uint8Array.of(1), ...times }
      await store.write(tx => tx.webhooks.insert(webhook))
      await insertFailed(store, account.id, ['{"n":1}', '{"n":2}'])
    },
    { create: true },
  )
  const [, ...args] = new Guide('docs/webhooks.md')
    .block('sh resend')
    .trim()
    .replace('shop@example.com', email)
    .split(' ')
  const first = await runCommand(args, env)
  assert.equal(first.code, 0, first.err)
  assert.match(
    first.out,
    /^since 20.* UTC; the running service sends what is queued\nwebhook: 2 failed events queued again\n$/,
  )
  const { since, ...again } = (await runCommand([...args, '--json'], env)).json() as { since: number }
  assert.ok(Math.abs(since - (Date.now() / 1000 - 2 * 86_400)) < 60)
  assert.deepEqual(again, { email, targets: [{ target: 'webhook', state: 'nothing', resent: 0, left: 0 }] })
  const unknown = await runCommand(['webhooks', 'resend', '--email', 'none@example.org', '--since', '36h'], env)
  assert.equal(unknown.code, 1)
  assert.equal((await runCommand(['webhooks', 'resend', '--email', email], env)).code, 2)
  const bad = await runCommand(['webhooks', 'resend', '--email', email, '--since', 'yesterday'], env)
  assert.deepEqual([bad.code, /--since must be a UTC date/.test(bad.err)], [2, true], bad.err)
  const old = await runCommand(['webhooks', 'resend', '--email', email, '--since', '31d'], env)
  assert.deepEqual([old.code, /at most 30 days ago/.test(old.err)], [2, true], old.err)
})

test('webhooks resend leaves out what failed before, and says what it does at each endpoint', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-webhooks-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: dir }
  let email = ''
  const now = Math.floor(Date.now() / 1000)
  await withStore(
    loadConfig(env),
    async store => {
      const account = await makeAccount(store)
      email = account.email
      const times = { createdAt: 1, updatedAt: 1 }
      const webhook = { accountId: account.id, url: 'https://a.example/', sealedSecret: Uint8Array.of(1), ...times }
      await store.write(tx => tx.webhooks.insert(webhook))
      const secret = { sealedSecret: Uint8Array.of(1), earlierSealedSecret: null, earlierSecretUntil: null }
      const terms = {
        accountId: account.id,
        types: null,
        dialect: 'zatgate',
        greenfieldEvents: null,
        application: null,
        schedule: 'standard',
        ...secret,
        ...times,
      } as const
      await store.write(async tx => {
        await tx.endpoints.insert({ ...terms, publicId: randomUUID(), url: 'https://b.example/', enabled: true })
        await tx.endpoints.insert({ ...terms, publicId: randomUUID(), url: 'https://c.example/', enabled: false })
      })
      // An hour ago.
      await insertFailed(store, account.id, ['{"n":1}'])
    },
    { create: true },
  )
  const resend = async (since: string) =>
    (await runCommand(['webhooks', 'resend', '--email', email, '--since', since, '--json'], env)).json() as {
      targets: { state: string; first_seq?: number | null }[]
    }
  const recent = new Date((now - 60) * 1000).toISOString().replace(/\.\d+/, '')
  const states = ({ targets }: Awaited<ReturnType<typeof resend>>) => targets.map(({ state }) => state)
  assert.deepEqual(states(await resend(recent)), ['nothing', 'nothing', 'disabled'])
  const all = await resend('2h')
  assert.deepEqual(states(all), ['queued', 'queued', 'disabled'])
  assert.equal(all.targets[1]?.first_seq, 1)
  await withStore(loadConfig(env), async store => {
    const due = await store.query(tx => tx.endpoints.listDue(Date.now(), DUE))
    assert.equal(due.length, 1)
  })
})
