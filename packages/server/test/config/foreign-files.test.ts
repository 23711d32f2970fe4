import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { stackOf, temporaryFolder, testEnv } from '../harness/container.ts'

const load = (env: Env) => loadConfig({ ...testEnv, ...env })

test('words of settings may have capitals, as other programs write them', () => {
  for (const value of ['true', 'True', 'TRUE', 'yes', 'Yes', 'on', 'On', '1', ' true\r', '\ufefftrue'])
    assert.equal(load({ WEBHOOK_ALLOW_PRIVATE: value }).webhookAllowPrivate, true, value)
  for (const value of ['false', 'False', 'FALSE', 'no', 'off', 'Off', '0', 'false\r\n'])
    assert.equal(load({ WEBHOOK_ALLOW_PRIVATE: value }).webhookAllowPrivate, false, value)
  assert.throws(() => load({ WEBHOOK_ALLOW_PRIVATE: 'maybe' }), /true or false/)
  assert.equal(load({ TRUST_PROXY: 'True' }).trustProxy, 1)
  assert.equal(load({ TRUST_PROXY: 'Off' }).trustProxy, false)
  assert.equal(load({ REGISTRATION: 'Closed' }).registration, 'closed')
  assert.equal(load({ LOG_LEVEL: 'INFO' }).logLevel, 'info')
  assert.deepEqual(load({ ROLES: 'API, Watcher' }).roles, ['api', 'watcher'])
})

test('files of settings may have a byte order mark and the line ends of Windows', t => {
  const folder = temporaryFolder(stackOf(t))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const plan = '{"name":"Free","monthly_invoice_limit":null,"price_zat":0,"period_days":30}'
  assert.equal(load({ PLANS_FILE: file('plans.json', `\ufeff[\r\n${plan}\r\n]\r\n`) }).plans.length, 1)
  const token = 'metrics-token-of-the-test'
  assert.equal(load({ METRICS_TOKEN_FILE: file('token', `\ufeff${token}\r\n`) }).metricsToken, token)
})

test('a name with a byte order mark or a space is named, not ignored', () => {
  for (const name of ['\ufeffRATE_LIMIT', 'RATE_LIMIT ', ' RATE_LIMIT'])
    assert.throws(() => load({ [name]: '5' }), /RATE_LIMIT ?" is no setting: remove the spaces or the byte order mark/)
})
