import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { openSandboxShell } from '../docs/guide.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)

const GUIDE = readFileSync(new URL('../../../../docs/clients.md', import.meta.url), 'utf8')
const here = (file: string) => join(import.meta.dirname, file)

/** All zat that there will ever be: more than 32 bits hold. */
const AMOUNT = 2_100_000_000_000_000
/** For a compiler on a busy machine. */
const LIMIT_MS = 180_000

const VENV = process.env.ZATGATE_TEST_PYTHON_VENV || '/nonexistent'
const NO_PYTHON = 'set ZATGATE_TEST_PYTHON_VENV for the client in Python'
const python = { generator: join(VENV, 'bin/openapi-python-client'), path: `${VENV}/bin:${process.env.PATH}` }

interface Client {
  readonly language: string
  readonly skip: string | false
  /** A command that prints the version of the generator. */
  readonly version: readonly [program: string, argument: string]
  readonly file: string
  readonly command: readonly string[]
  readonly path?: string
  /** Files beside the program, which pin its dependencies. */
  readonly pins: readonly string[]
}

const CLIENTS: readonly Client[] = [
  {
    language: 'python',
    skip: process.env.ZATGATE_TEST_PYTHON_VENV ? missingProgram(python.generator) : NO_PYTHON,
    version: [python.generator, '--version'],
    ...{ file: 'shop.py', command: ['python', 'shop.py'], path: python.path, pins: [] },
  },
  {
    language: 'go',
    skip: missingProgram('go', 'version') || missingProgram('oapi-codegen', '-version'),
    version: ['oapi-codegen', '-version'],
    ...{ file: 'shop.go', command: ['go', 'run', 'shop.go'], pins: ['go.mod', 'go.sum'] },
  },
]

/** A block of the guide, unchanged. */
function block(language: string, kind: string): string {
  const [, code] = new RegExp(`\`\`\`${language} ${kind}\n(.*?)\`\`\``, 's').exec(GUIDE) ?? []
  return code ?? assert.fail(`the guide has no block ${language} ${kind}`)
}

/** Generates the client with the commands of the guide. @returns a function that starts its program */
async function generate(t: TestContext, client: Client, service: TestService) {
  const { language, file, command, path, pins } = client
  const cwd = temporaryFolder(stackOf(t))
  const shell = openSandboxShell(t, service)
  await shell.run(block('sh', 'setup'))
  const variables = Object.entries(await shell.environment())
  for (const pin of pins) copyFileSync(here(pin), join(cwd, pin))
  const env = {
    ...(path && { PATH: path }),
    GOTOOLCHAIN: 'local',
    ...Object.fromEntries(variables.filter(([name]) => name.startsWith('ZATGATE_'))),
  }
  await run('bash', ['-euc', block(language, 'generate')], { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS })
  writeFileSync(join(cwd, file), block(language, 'program'))
  const start = (...args: string[]) => startProgram(t, [...command, ...args], { cwd, env })
  const finish = async (...args: string[]) => {
    const { output, exitCode } = start(...args)
    assert.equal(await until(args.join(' '), exitCode, LIMIT_MS), 0, output())
    return output()
  }
  return { start, finish, shell }
}

for (const client of CLIENTS) {
  const { language, skip, version } = client

  test(`a generated client in ${language} sells an invoice, reads the account and gets typed errors`, {
    skip,
  }, async t => {
    const service = await startTestService()
    t.after(() => service.close())
    const webhook = { token: service.sessionToken, json: { url: service.sandbox.webhookUrl } }
    assert.equal((await call(service, 'PUT /v1/account/webhook', webhook)).status, 200)
    const { start, finish, shell } = await generate(t, client, service)

    assert.equal(await finish('errors'), '404 no_such_invoice\n401 bad_api_key\n')

    const sale = start('sell', 'order 1', String(AMOUNT))
    const [, uri = ''] = await until('an invoice', () => /^pay (zcash:\S+)$/m.exec(sale.output()), LIMIT_MS)
    assert.match(sale.output(), /Free.*Business/s)
    assert.match(sale.output(), /^also payable in [1-9]\d* other assets$/m)
    assert.ok(sale.output().includes(`pending: ${AMOUNT} zat, transaction not yet\n`), sale.output())
    const [pay = '', mine = '', ...others] = block('sh', 'pay').replace('zcash:…', uri).trim().split('\n')
    assert.deepEqual(others, [])
    await shell.run(pay)
    const list = async () => (await call(service, 'GET /v1/account/invoices', { token: service.sessionToken })).body
    await until('detected', async () => (await list())[0].status === 'detected')
    await shell.run(mine)
    assert.equal(await until('the end of the sale', sale.exitCode, LIMIT_MS), 0, sale.output())
    const [{ id, txid }, ...invoices] = await list()
    assert.deepEqual(invoices, [])
    assert.match(txid ?? '', /^[0-9a-f]{64}$/)
    assert.ok(sale.output().endsWith(`\npaid: ${AMOUNT} zat, transaction ${txid}\n`), sale.output())

    const repeated = await finish('sell', 'order 1', String(AMOUNT))
    assert.ok(repeated.includes(`paid: ${AMOUNT} zat, transaction ${txid}\npay ${uri}\n`), repeated)

    await until('the delivery', () => service.sandbox.webhookReceiver.deliveries.length > 0)
    const account = async () => /^delivery invoice.paid (\S+) 200$/m.exec(await finish('account')) && finish('account')
    const lines = (await until('the logged delivery', account, LIMIT_MS)).trim().split('\n')
    assert.equal(lines[0], `${service.email} Business 1 unlimited`)
    assert.match(lines[1] ?? '', new RegExp(`^invoice ${id} paid ${AMOUNT} \\d{10}$`))
    assert.deepEqual(lines.slice(2), [`delivery invoice.paid ${id} 200`])
  })

  test(`the test of the client in ${language} uses the versions that the guide installs`, { skip }, async () => {
    const { stdout } = await run(version[0], [version[1]])
    const pinned = [stdout, ...['requirements.txt', 'go.mod'].map(file => readFileSync(here(file), 'utf8'))].join('\n')
    const installed = [...block(language, 'install').matchAll(/([\w/.-]+)(?:==|@)v?(\d+\.\d+\.\d+)/g)]
    assert.ok(installed.length > 0)
    for (const [, name = '', number = ''] of installed) {
      const [program = ''] = name.split('/').slice(-1)
      assert.ok(
        [`${program}==${number}`, `${name} v${number}`, `v${number}\n`].some(pin => pinned.includes(pin)),
        `${name} ${number} is not what the test runs with:\n${pinned}`,
      )
    }
  })
}
