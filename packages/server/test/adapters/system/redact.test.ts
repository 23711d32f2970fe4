import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { redact } from '../../../src/adapters/system/redact.ts'
import { type CredentialKind, formatCredential, SECRET_BYTES } from '../../../src/domain/account/credential.ts'

/** One of each kind. */
const CREDENTIALS: Readonly<Record<CredentialKind, string>> = {
  apiKey: formatCredential('apiKey', new Uint8Array(SECRET_BYTES).fill(1)),
  scopedKey: formatCredential('scopedKey', new Uint8Array(SECRET_BYTES).fill(2)),
  session: formatCredential('session', new Uint8Array(SECRET_BYTES).fill(3)),
}

test('each kind of credential and a webhook secret are shortened to their prefix', () => {
  const secrets = [...Object.values(CREDENTIALS), `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`]
  for (const secret of secrets) {
    const [prefix = ''] = /^[a-z]+_/.exec(secret) ?? []
    assert.equal(redact(`"Bearer ${secret}" of \\n${secret}`), `"Bearer ${prefix}…" of \\n${prefix}…`)
  }
})

/** For each pattern, text that begins it again and again and never ends it. */
const REPEATED = [
  '0123abcd-0123-',
  'zg_',
  'zgk_',
  'zgs_+',
  'whsec_',
  'zxview',
  'zivk',
  'secret-',
  'uview',
  '://',
  '://a:b',
]
/** A pattern that reads the rest of the text at each beginning needs minutes. */
const LIMIT_MS = 30_000

test('the time of a search for secrets grows with the length of the text, not with its square', () => {
  const module = new URL('../../../src/adapters/system/redact.ts', import.meta.url)
  for (const part of REPEATED) {
    const code = `import { redact } from '${module}'; redact('${part}'.repeat(${Math.ceil(2 ** 20 / part.length)}))`
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: LIMIT_MS })
    assert.equal(status ?? signal, 0, part)
  }
})
