import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { backupDatabase, openStore } from '../../../src/store/open.ts'
import { runCommand } from '../../harness/command-line.ts'
import { countRepeated, openRestoreShop, restoreEnv } from '../../harness/restore.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-restored-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const zatgate = (line: string, databaseUrl: string) => runCommand(line.split(' '), restoreEnv(databaseUrl, dir))

/** The finding of doctor about the address counters. */
async function counterFinding(databaseUrl: string): Promise<{ state: string; says: string }> {
  const findings: { check: string; state: string; says: string }[] = (
    await zatgate('doctor --json', databaseUrl)
  ).json()
  const { state, says } = findings.find(({ check }) => check === 'address counters')!
  return { state, says }
}

test('restored advances the address counters and reports it as text and as JSON', async () => {
  const url = `sqlite:${join(dir, 'restored.db')}`
  await (await openStore(url)).close()
  const empty = await zatgate('restored', url)
  assert.deepEqual([empty.code, empty.out], [0, 'no viewing keys: there is no address counter to advance\n'])
  const before = await openRestoreShop(url)
  const sold = await before.sell(5)
  const indexOf = async (shop: typeof before) =>
    shop.store.write(async tx => (await tx.viewingKeys.reserveIndexes((await tx.viewingKeys.list())[0]!.id, 1)).first)
  const first = await indexOf(before)
  await before.close()

  const { code, out, err } = await zatgate('restored', url)
  assert.equal(code, 0)
  assert.match(
    out,
    /^viewing keys whose address counter was advanced: 1\nnew addresses differ from all.*\nall viewing keys are scanned until at least \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/,
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

test('doctor distinguishes a restored copy from the original and changes nothing', async () => {
  const original = `sqlite:${join(dir, 'original.db')}`
  const shop = await openRestoreShop(original)
  await backupDatabase(original, join(dir, 'backup.db'))
  await shop.close()
  assert.deepEqual(await counterFinding(original), { state: 'ok', says: 'consistent with this database' })
  const copy = `sqlite:${join(dir, 'backup.db')}`
  for (let run = 0; run < 2; run++) {
    const { state, says } = await counterFinding(copy)
    assert.equal(state, 'ok')
    assert.match(says, /restored copy.*the next start advances the address counters/)
  }
  await (await openRestoreShop(copy)).close()
  assert.deepEqual(await counterFinding(copy), { state: 'ok', says: 'consistent with this database' })
})

test('doctor reports a database that does not open only once', async () => {
  writeFileSync(join(dir, 'text.db'), 'this is no database'.repeat(1_000))
  const url = `sqlite:${join(dir, 'text.db')}`
  const { json } = await zatgate('doctor --json', url)
  const states = new Map(json().map(({ check, state }: { check: string; state: string }) => [check, state]))
  assert.deepEqual([states.get('database'), states.has('address counters')], ['wrong', false])
})
