import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { withStore } from '../../../src/cli/store.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { runCommand } from '../../harness/command-line.ts'
import { NOW, openShop } from '../../harness/fixtures.ts'

const YEAR_SECS = 365 * 86_400

test('invoices erase counts with --dry, erases without it, and says what is kept', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-invoices-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: dir }
  let email = ''
  const texts = async () => {
    const found: (string | null)[] = []
    await withStore(loadConfig(env), async store => {
      const account = await store.read(tx => tx.accounts.byEmail(email))
      const invoices = await store.read(tx => tx.invoices.list(account!.id, { limit: 10 }))
      for (const { description } of invoices) found.push(description)
    })
    return found
  }
  await withStore(
    loadConfig(env),
    async store => {
      const shop = await openShop(store)
      email = shop.account.email
      const past = { createdAt: NOW - 9 * YEAR_SECS, watchUntil: NOW - 9 * YEAR_SECS }
      for (const description of ['a', 'b']) {
        const invoice = await shop.sell({ ...past, description })
        await store.write(tx => tx.invoices.updateStates([{ ...invoice, status: 'expired' }]))
      }
      await shop.sell({ ...past, description: 'open' })
    },
    { create: true },
  )
  const args = ['invoices', 'erase', '--email', email, '--before', '2020-01-01']
  const dry = await runCommand([...args, '--dry'], env)
  assert.equal(dry.code, 0, dry.err)
  assert.equal(
    dry.out,
    [
      'would be erased: description and metadata of 2 invoices created before 2020-01-01 00:00:00 UTC',
      'kept: 1 invoice; each may still be paid',
      'repeat the command later for those that were kept',
      '',
    ].join('\n'),
  )
  assert.deepEqual((await texts()).toSorted(), ['a', 'b', 'open'])
  const counts = { email, before: 1_577_836_800, open: 1, undelivered: 0, failed: 0 }
  const done = await runCommand([...args, '--json'], env)
  assert.deepEqual(done.json(), { ...counts, dry: false, erased: 2 })
  assert.deepEqual((await texts()).filter(Boolean), ['open'])
  assert.deepEqual((await runCommand([...args, '--dry', '--json'], env)).json(), { ...counts, dry: true, erased: 0 })
  const bad = await runCommand([...args, '--dry=yes'], env)
  assert.deepEqual([bad.code, /--dry/.test(bad.err)], [2, true], bad.err)
})
