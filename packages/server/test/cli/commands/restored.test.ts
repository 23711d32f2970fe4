import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../../support/command-line.ts'
import { countRepeated, openRestoreShop, restoreEnv } from '../../support/restore.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-restored-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const zatgate = (line: string, databaseUrl: string) => runCommand(line.split(' '), restoreEnv(databaseUrl, dir))

/** What doctor says about the address counters. */
async function countersOf(databaseUrl: string): Promise<{ state: string; says: string }> {
  const findings: { check: string; state: string; says: string }[] = (
    await zatgate('doctor --json', databaseUrl)
  ).json()
  const { state, says } = findings.find(({ check }) => check === 'address counters')!
  return { state, says }
}

test('restored moves the counters on and says so, for people and as JSON', async () => {
  const url = `sqlite:${join(dir, 'restored.db')}`
  const empty = await zatgate('restored', url)
  assert.deepEqual([empty.code, empty.out], [0, 'no viewing keys: there is no address counter to move\n'])
  const before = await openRestoreShop(url)
  const sold = await before.sell(5)
  const indexOf = async (shop: typeof before) =>
    shop.store.write(async rows => rows.viewingKeys.reserve((await rows.viewingKeys.all())[0]!.id, 1))
  const first = await indexOf(before)
  await before.close()

  const { code, out, err } = await zatgate('restored', url)
  assert.equal(code, 0)
  assert.match(
    out,
    /^viewing keys whose address counter was moved on: 1\naddresses from here on are new.*\nall viewing keys are watched until at least \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/,
  )
  assert.match(err, /Restart the service/)
  const { json } = await zatgate('restored --json', url)
  assert.deepEqual(Object.keys(json()), ['viewing_keys', 'watched_until'])
  assert.equal(json().viewing_keys, 1)

  const again = await openRestoreShop(url)
  assert.ok((await indexOf(again)) - first >= 2n ** 45n)
  assert.equal(countRepeated(sold, await again.sell(5)), 0)
  await again.close()
  assert.equal((await zatgate('restored now', url)).code, 2)
})

test('doctor tells a restored copy from the original, and changes nothing', async () => {
  const original = `sqlite:${join(dir, 'original.db')}`
  const shop = await openRestoreShop(original)
  await shop.store.backup(join(dir, 'backup.db'))
  await shop.close()
  assert.deepEqual(await countersOf(original), { state: 'ok', says: 'they belong to this database' })
  const copy = `sqlite:${join(dir, 'backup.db')}`
  for (let time = 0; time < 2; time++) {
    const { state, says } = await countersOf(copy)
    assert.equal(state, 'ok')
    assert.match(says, /restored copy.*the next start moves the address counters on/)
  }
  await (await openRestoreShop(copy)).close()
  assert.deepEqual(await countersOf(copy), { state: 'ok', says: 'they belong to this database' })
})

test('doctor names a database that does not open once', async () => {
  const url = `sqlite:${join(dir, 'a-folder-that-is-a-file.db', 'x.db')}`
  await (await openRestoreShop(`sqlite:${join(dir, 'a-folder-that-is-a-file.db')}`)).close()
  const { json } = await zatgate('doctor --json', url)
  const states = new Map(json().map(({ check, state }: { check: string; state: string }) => [check, state]))
  assert.deepEqual([states.get('database'), states.get('address counters')], ['wrong', 'skipped'])
})
