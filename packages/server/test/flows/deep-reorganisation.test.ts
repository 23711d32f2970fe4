import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { run } from '../../src/cli/main.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const tipOf = (at: TestService) => at.service.store.read(tx => tx.chain.tip())

async function statusOf(at: TestService, id: string): Promise<string> {
  return (await call(at, `GET /v1/invoices/${id}`)).body.status
}

test('after a reorganisation deeper than the recorded chain, the operator continues with `chain accept`', async t => {
  const directory = temporaryFolder(stackOf(t))
  // Without a block cache: the command runs right after the reorganisation, when a cache would still have the old blocks.
  const sandbox = await startSandbox({ faults: { blockCacheMs: 0 } })
  t.after(() => sandbox.close())
  const start = async () => {
    const at = await startTestService({ sandbox, databaseUrl: `sqlite:${join(directory, 'test.db')}` })
    t.after(() => at.close())
    return at
  }
  const { chain } = sandbox
  const before = await start()
  await until('the chain to be read', async () => (await tipOf(before))?.height === chain.height)
  const json = { amount_zat: 1_000_000 }
  const { body: invoice } = await call(before, 'POST /v1/invoices', { token: before.apiKey, json })
  sandbox.wallet.pay({ uri: invoice.zip321_uri }, { expiryHeight: 0 })
  const fork = chain.height
  chain.mine(1_010)
  await until('the payment', async () => (await statusOf(before, invoice.id)) === 'paid', 30_000)
  await until('all blocks', async () => (await tipOf(before))?.height === chain.height, 30_000)
  await before.close()
  const accept = async (...args: string[]) => {
    const [stdout, stderr] = [new PassThrough().setEncoding('utf8'), new PassThrough().setEncoding('utf8')]
    const code = await run(['chain', 'accept', '--json', ...args], { env: before.env, stdout, stderr })
    return { code, output: code === 0 ? JSON.parse(stdout.read()) : (stderr.read() as string) }
  }
  const early = await accept('--from', String(fork))
  assert.equal(early.code, 1)
  assert.match(early.output, /the watcher follows the server by itself/)

  chain.reorg({ depth: 1_010, blocks: 1_015 })
  const preview = await accept('--from', String(fork))
  const { block } = preview.output
  assert.deepEqual(preview, {
    code: 0,
    output: { from: fork, block, payments: 1, paid_invoices: 1, accepted: false },
  })
  assert.match((await accept('--from', String(fork), '--block', 'ab'.repeat(32))).output, /which differs from --block/)
  assert.match((await accept('--from', '999999')).output, /--from must be 0 to/)
  const done = await accept('--from', String(fork), '--block', block)
  assert.deepEqual(done.output, { ...preview.output, accepted: true })

  const after = await start()
  await until('the new chain', async () => (await tipOf(after))?.height === chain.height, 30_000)
  const detail = () => after.service.invoices.read(invoice.id)
  assert.deepEqual([(await detail()).status, (await detail()).needsAttention], ['paid', true], 'its payment is unmined')
  chain.mine(1)
  await until('the payment to be mined again', async () => !(await detail()).needsAttention)
  assert.equal((await detail()).receivedZat, 1_000_000n)
})
