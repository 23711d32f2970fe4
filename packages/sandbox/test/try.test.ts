import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MAIN = join(import.meta.dirname, '../../../bin/main.ts')

test('zatgate try sells an invoice and verifies its webhook, step by step', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, 'try'], { timeout: 120_000 })
  assert.equal(stderr, '')
  const steps = [...stdout.matchAll(/^([a-z]+) +\S/gm)].map(([, step]) => step)
  assert.deepEqual(steps, ['create', 'pay', 'detected', 'paid', 'webhook'])
  const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout) ?? []
  assert.ok(stdout.includes(`{"type":"invoice.paid","invoice_id":"${id}","status":"paid","amount_zat":150000,`))
})
