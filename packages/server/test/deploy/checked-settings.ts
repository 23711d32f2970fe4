import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECRETS, SETTINGS } from '../../src/config/setting-table.ts'
import { type Config, type Env, loadConfig } from '../../src/config/settings.ts'
import type { Shell } from '../harness/shell.ts'
import { deployPath } from './files.ts'

/** The names of all settings. */
export const KNOWN = new Set([...Object.keys(SETTINGS), ...SECRETS.map(name => `${name}_FILE`)])

const SECRET_VALUES: Env = {
  database_url: 'postgres://zatgate:secret@postgres/zatgate?sslmode=disable',
  encryption_key: Buffer.alloc(32, 1).toString('base64'),
  smtp_url: 'smtps://user:password@mail.example.com',
  metrics_token: 'metrics-token-of-the-test',
}

/**
 * Checks that all names are settings and that the service starts with them. Files with secrets are replaced.
 * @param folder for the files
 */
export function checkSettings(env: Env, folder: string): Config {
  assert.deepEqual(
    Object.keys(env).filter(name => !KNOWN.has(name)),
    [],
  )
  const config = loadConfig({ DATA_DIR: folder, ...withFiles(env, folder) })
  assert.equal(config.sandbox, false)
  return config
}

/** The settings in the variables of the shell, with absolute paths. */
export async function settingsOf(shell: Shell): Promise<Record<string, string>> {
  const settings = Object.entries(await shell.environment())
    .filter(([name]) => KNOWN.has(name))
    .map(([name, value]) => [name, name.endsWith('_FILE') ? join(shell.folder, value) : value])
  return { DATA_DIR: join(shell.folder, 'data'), ...Object.fromEntries(settings) }
}

/** Replaces the paths of secrets in a container by files of the test. */
function withFiles(env: Env, folder: string): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value = '']) => {
      if (!name.endsWith('_FILE') || value === '') return [name, value]
      // Where the image and the guide have the checkout, and where Compose mounts its folder of plans.
      const inCheckout = value
        .replace(/^\/(?:app|opt\/zatgate)\//, `${deployPath('..')}/`)
        .replace(/^\/plans\//, `${deployPath('plans')}/`)
      return [name, name === 'PLANS_FILE' ? inCheckout : secretFile(value.split('/').at(-1) ?? '', folder)]
    }),
  )
}

function secretFile(name: string, folder: string): string {
  const file = join(folder, name)
  writeFileSync(file, SECRET_VALUES[name.toLowerCase()] ?? '')
  return file
}
