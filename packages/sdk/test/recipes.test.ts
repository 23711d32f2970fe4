import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(`${PACKAGE}/README.md`, 'utf8')
const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const BODY = JSON.stringify({ type: 'invoice.paid', invoice_id: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f' })

function recipe(name: string): string {
  const match = new RegExp(`\`\`\`js recipe=${name}\n(.*?)\`\`\``, 's').exec(README)
  return match?.[1] ?? assert.fail(`the README has no recipe ${name}`)
}

/** Runs the recipe unchanged in its own process. Returns its port and its output so far. */
async function run(t: TestContext, code: string): Promise<{ port: number; output: () => string }> {
  const child = spawn(
    process.execPath,
    ['--import', `${PACKAGE}/test/support/report-port.mjs`, '--input-type=module', '--eval', code],
    {
      cwd: PACKAGE,
      env: { PATH: process.env.PATH, NODE_ENV: 'test', PORT: '0', ZATGATE_WEBHOOK_SECRET: SECRET },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout?.on('data', chunk => {
    output += chunk
  })
  const [{ port }] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) })
  return { port, output: () => output }
}

function delivery(body: string, secret = SECRET, ageSecs = 0): RequestInit {
  const id = 'msg'
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSecs)
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
    signal: AbortSignal.timeout(10_000),
  }
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

for (const name of ['http', 'express', 'fastify']) {
  const installed = name === 'http' || isInstalled(name)
  const skip = installed ? false : `${name} is not installed`
  test(`the README's ${name} receiver accepts a valid delivery and rejects invalid ones`, { skip }, async t => {
    const { port, output } = await run(t, recipe(name))
    const url = `http://127.0.0.1:${port}/webhook`
    assert.equal((await fetch(url, delivery(BODY))).status, 204)
    assert.match(output(), /paid 6f0f6f6e/)
    assert.equal((await fetch(url, delivery(BODY, `whsec_${randomBytes(32).toString('base64')}`))).status, 400)
    assert.equal((await fetch(url, delivery(BODY, SECRET, 301))).status, 400)
    assert.equal((await fetch(url, { ...delivery(BODY), body: BODY.replace('paid', 'lost') })).status, 400)
    assert.equal((await fetch(url, delivery(`"${'x'.repeat(70_000)}"`))).status, 413)
    assert.equal((await fetch(url, delivery(BODY))).status, 204)
  })
}

const noOpenssl = spawnSync('openssl', ['version']).error !== undefined && 'openssl is not installed'
test("the README's command prints the signature of a body", { skip: noOpenssl }, t => {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-sdk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'body.json'), BODY)
  const [, command = ''] = /```sh openssl\n(.*?)```/s.exec(README) ?? []
  const env = { PATH: process.env.PATH, ZATGATE_WEBHOOK_SECRET: SECRET }
  const printed = execFileSync('bash', ['-euc', command], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const signature = createHmac('sha256', SECRET).update(BODY).digest('hex')
  assert.equal(printed.trim().split(' ').at(-1), signature)
})
