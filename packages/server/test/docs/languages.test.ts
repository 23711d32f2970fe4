import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import type { Shell } from '../harness/shell.ts'
import { until } from '../harness/until.ts'
import { Guide, openSandboxShell } from './guide.ts'

const LANGUAGES = [
  { guide: new Guide('docs/python.md'), program: 'python3', fence: 'python' },
  { guide: new Guide('docs/php.md'), program: 'php', fence: 'php' },
]

for (const { guide, program, fence } of LANGUAGES) {
  const skip = missingProgram(program) || missingProgram('bash') || missingProgram('curl')

  test(`the guide to ${program} creates an invoice, receives its webhook and reconciles, as pasted`, {
    skip,
  }, async t => {
    const service = await startTestService()
    t.after(() => service.close())
    const shell = openSandboxShell(t, service)
    const port = String(await freePort())
    // The port is the reader's.
    const block = (tag: string) => guide.block(tag).replaceAll('3001', port).trimEnd()
    const save = (name: string) =>
      writeFileSync(join(shell.folder, fileOf(block(`sh ${name}`))), block(`${fence} ${name}`))
    await shell.run(block('sh setup'))

    save('create')
    const invoice = await shell.json(block('sh create'))
    assert.deepEqual([invoice.status, invoice.order_id, invoice.price.amount], ['pending', '1042', '25.00'])
    assert.equal((await shell.json(block('sh create'))).id, invoice.id)
    await assert.rejects(openFailing(block('sh create')), /401: \{"code":"bad_api_key"/)

    await shell.run(block('sh webhook'))
    save('receiver')
    const command = ['bash', '-c', block('sh receiver')]
    const { output } = startProgram(t, command, { env: await shell.environment(), cwd: shell.folder })
    const url = `http://127.0.0.1:${port}/webhook`
    const refusal = await until(`the receiver, which printed: ${output()}`, () =>
      fetch(url, { method: 'POST', body: '{}' }).catch(() => null),
    )
    assert.equal(refusal.status, 400)
    await shell.run(block('sh pay'))
    await until('the event', () => output().includes(`paid ${invoice.id}`))

    await shell.run(block('sh key'))
    save('reconcile')
    const reconcile = () => shell.run(`${block('sh reconcile')} 2>&1`)
    assert.equal(await reconcile(), `paid 1042 ${invoice.id} ${invoice.amount_zat}\n`)
    assert.equal(await reconcile(), '')
    const read = Number(readFileSync(join(shell.folder, 'reconcile.seq'), 'utf8'))
    assert.ok(read > 0 && !existsSync(join(shell.folder, 'reconcile.seq.new')))

    // As after a pause of more than 90 days.
    await service.service.store.write(tx => tx.events.prune(Number.MAX_SAFE_INTEGER, 1))
    writeFileSync(join(shell.folder, 'reconcile.seq'), '0')
    assert.equal(await reconcile(), `events 1 to 1 are no longer kept\npaid 1042 ${invoice.id} ${invoice.amount_zat}\n`)
    assert.equal(readFileSync(join(shell.folder, 'reconcile.seq'), 'utf8'), String(read))

    // More events than one response has, and an error.
    const { accounts } = service.service
    const account = await accounts.findByEmail(service.email)
    for (let count = 0; count < 201; count++) await service.service.webhooks.test(account)
    assert.equal(await reconcile(), '')
    assert.equal(readFileSync(join(shell.folder, 'reconcile.seq'), 'utf8'), String(read + 201))
    await assert.rejects(openFailing(block('sh reconcile')), /401/)

    /** Runs a command with a wrong key in a second session. */
    async function openFailing(commands: string): Promise<unknown> {
      const { ZATGATE_URL: address } = await shell.environment()
      const other: Shell = openSandboxShell(t, service)
      for (const name of ['create', 'reconcile'] as const)
        writeFileSync(join(other.folder, fileOf(block(`sh ${name}`))), block(`${fence} ${name}`))
      return other.run(
        `export ZATGATE_URL=${address} ZATGATE_API_KEY=zgk_none ZATGATE_EVENTS_KEY=zgk_none\n{ ${commands}; } 2>&1`,
      )
    }
  })

  test(`every block of the guide to ${program} was run`, { skip }, () => guide.assertAllUsed())
}

/** The file that a command runs. */
function fileOf(command: string): string {
  return /\w+\.(?:py|php)/.exec(command)?.[0] ?? assert.fail(command)
}
