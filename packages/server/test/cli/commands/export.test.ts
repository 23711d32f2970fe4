import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withStore } from '../../../src/cli/store.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { runCommand, stopAtProgress } from '../../harness/command-line.ts'
import { openShop } from '../../harness/fixtures.ts'

const DAY_SECS = 86_400
const NOW = Math.floor(Date.now() / 1000)

/** A database with an account that has an invoice a day, and an empty folder. */
async function harness(t: TestContext, invoices: number) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-export-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = { DATA_DIR: join(dir, 'data') }
  let email = ''
  await withStore(
    loadConfig(env),
    async store => {
      const shop = await openShop(store)
      email = shop.account.email
      await Promise.all(
        Array.from({ length: invoices }, (_, day) => shop.sell({ createdAt: NOW - (invoices - day) * DAY_SECS })),
      )
    },
    { create: true },
  )
  const files = mkdtempSync(join(dir, 'files-'))
  const command = (...args: string[]) => runCommand(['export', '--email', email, ...args], env)
  return { env, email, files, command }
}

test('export writes CSV and JSON to standard output', async t => {
  const { env, email, command } = await harness(t, 401)
  const csv = await command()
  assert.deepEqual([csv.code, csv.err], [0, '401 invoices\n'])
  assert.equal(csv.out.split('\r\n').length, 1 + 401 + 1)
  assert.match(csv.out, /^id,status,amount_zat,/)
  const json = await command('--format', 'json')
  assert.equal(json.json().length, 401)
  const { out: onTerminal } = await runCommand(['export', '--email', email], env, { columns: 80 })
  assert.equal(onTerminal, csv.out)
  const scripted = await command('--json')
  assert.deepEqual([scripted.out, scripted.err], [json.out, ''])
})

test('export writes a new private file, and never overwrites one', async t => {
  const { command, files } = await harness(t, 3)
  const file = join(files, 'invoices.csv')
  const { code, out } = await command(file)
  assert.deepEqual([code, out], [0, `3 invoices written to ${file}\n`])
  assert.equal(readFileSync(file, 'utf8'), (await command()).out)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const other = join(files, 'invoices.json')
  assert.deepEqual((await command('--json', '--format', 'json', other)).json(), {
    file: other,
    format: 'json',
    invoices: 3,
  })
  writeFileSync(file, 'precious')
  assert.deepEqual((await command(file)).err, `zatgate: ${file} already exists and is not overwritten\n`)
  assert.equal(readFileSync(file, 'utf8'), 'precious')
  writeFileSync(join(files, 'busy.csv.partial'), '')
  assert.match((await command(join(files, 'busy.csv'))).err, /busy\.csv\.partial already exists: remove it, unless/)
  assert.match((await command(join(files, 'none/x.csv'))).err, /there is no folder .*none: create it first/)
  assert.deepEqual(readdirSync(files).sort(), ['busy.csv.partial', 'invoices.csv', 'invoices.json'])
})

test('--format csv_semicolon has semicolons and decimal commas', async t => {
  const { command } = await harness(t, 2)
  const { out } = await command('--format', 'csv_semicolon')
  assert.match(out, /^id;status;amount_zat;/)
  assert.match(out, /;"0,\d+";"?0/)
})

test('--kind refunds writes refunds', async t => {
  const { command, files } = await harness(t, 1)
  const { out, err } = await command('--kind', 'refunds')
  assert.match(out, /^id,invoice_id,order_id,status,.*\r\n$/)
  assert.equal(err, '0 refunds\n')
  const file = join(files, 'refunds.json')
  const written = await command('--json', '--kind', 'refunds', '--format', 'json', file)
  assert.deepEqual(written.json(), { file, format: 'json', refunds: 0 })
})

test('the period includes its first second and excludes its last one', async t => {
  const { command } = await harness(t, 10)
  const at = (secs: number) => `${new Date(secs * 1000).toISOString().slice(0, 19)}Z`
  const [from, to] = [NOW - 5 * DAY_SECS, NOW - 2 * DAY_SECS]
  const created = (await command('--json', '--from', at(from), '--to', at(to))).json()
  assert.deepEqual(
    created.map(({ created_at }: { created_at: number }) => created_at),
    [from, from + DAY_SECS, from + 2 * DAY_SECS],
  )
  const day = at(from).slice(0, 10)
  const midnight = Date.parse(day) / 1000
  for (const row of (await command('--json', '--from', day)).json()) assert.ok(row.created_at >= midnight)
  const empty = await command('--from', '2020-01-01', '--to', '2020-01-01')
  assert.deepEqual([empty.code, empty.err], [0, '0 invoices\n'])
})

test('an invalid argument is named, with what would be right', async t => {
  const { env, command } = await harness(t, 1)
  const missing = await runCommand(['export'], env)
  assert.deepEqual([missing.code, missing.err.split(' (')[0]], [2, 'zatgate: --email is missing'])
  for (const [args, reason] of [
    [['--kind', 'payments'], '--kind must be invoices or refunds'],
    [['--format', 'xml'], '--format must be csv, csv_semicolon or json'],
    [['--from', '31.1.2026'], '--from must be a UTC date such as 2026-01-31 or 2026-01-31T12:00:00Z'],
    [['--from', '2026-02-30'], '--from must be a UTC date'],
    [['--from', '2026-01-31T12:00:00+01:00'], '--from must be a UTC date'],
    [['--to', '2026-01-31T24:00:00Z'], '--to must be a UTC date'],
    [['--from', '2026-02-01', '--to', '2026-01-31'], '--to must not be before --from'],
    [['--json', '--format', 'csv'], '--json prints JSON: for --format csv, give a FILE or leave out --json'],
    [['a', 'b'], "unexpected argument 'b'"],
  ] as const) {
    const { code, err } = await command(...args)
    assert.equal(code, 2, args.join(' '))
    assert.ok(err.startsWith(`zatgate: ${reason}`), err)
  }
  const unknown = await runCommand(['export', '--email', 'none@example.org'], env)
  assert.deepEqual([unknown.code, unknown.err], [1, 'zatgate: no such account\n'])
})

test('an export that is stopped leaves no file, and says so in one line', async t => {
  const { env, email, files } = await harness(t, 450)
  const file = join(files, 'invoices.csv')
  const { code, out, err } = await runCommand(['export', '--email', email, file], env, stopAtProgress('SIGTERM'))
  assert.deepEqual([code, out], [143, ''])
  const [shown, cleared, said] = err.split('\r\u001b[K').slice(1)
  assert.match(shown ?? '', /^export: 22% \(100 of 450 invoices\)$/)
  assert.deepEqual([cleared, said], [`zatgate: stopped: no file was written to ${file}\n`, undefined])
  assert.deepEqual(readdirSync(files), [])
})
