import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { KNOWN } from '../deploy/checked-settings.ts'
import { EXAMPLE, substitute } from '../deploy/compose.ts'
import { deployText, projectVersion } from '../deploy/files.ts'
import { ROOT } from '../harness/guide.ts'
import { COMMAND } from '../harness/service-process.ts'

const run = promisify(execFile)

/** Replaces what the reader replaces, such as the name of a server. */
export function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), text)
}

export interface Shell {
  readonly folder: string
  /** Runs commands as pasted: variables and functions stay, and the first failure rejects. @returns the output */
  paste(commands: string): Promise<string>
  /** The exported variables. */
  environment(): Promise<Readonly<Record<string, string>>>
}

const TIMEOUT_MS = 60_000

/**
 * A shell in a folder, in which `npx zatgate` is the command of this checkout.
 * @param setup commands before each block
 * @param state a file that keeps the variables
 */
export function openShell(folder: string, setup = '', state = join(folder, '.state')): Shell {
  writeFileSync(state, '')
  const prelude = `npx() { shift; '${process.execPath}' '${COMMAND}' "$@"; }\n. '${state}'\n${setup}\n`
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const paste = async (commands: string) => {
    const script = `${prelude}${commands}\nexport -p > '${state}'\n`
    const options = { cwd: folder, env: { PATH, HOME: folder }, timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 }
    try {
      return (await run('bash', ['-euc', script], options)).stdout
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error(`failed in ${relative(ROOT, folder)}:\n${commands}\n${stdout}${stderr}`)
    }
  }
  return {
    folder,
    paste,
    environment: async () => JSON.parse(await paste(`node -p 'JSON.stringify(process.env)'`)),
  }
}

/** Checks what can be checked of commands for Docker without it: their syntax, and what they name. */
export function checkDockerBlock(text: string): void {
  const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  for (const [, file = ''] of text.matchAll(/ -f (\S+)/g)) assert.ok(existsSync(join(ROOT, file)), file)
  for (const [, version] of text.matchAll(/\bzatgate:(\d\S*)/g)) assert.equal(version, projectVersion())
  const { services, secrets } = parse(substitute(deployText('compose/compose.yaml'), EXAMPLE), { merge: true })
  for (const [, service = ''] of text.matchAll(
    /docker compose (?:exec|stop|up|restart|logs)(?: -\S+)* (?:--scale )?([a-z]+)/g,
  ))
    assert.ok(service in services, service)
  for (const [, secret = ''] of text.matchAll(/> secrets\/(\w+)/g)) assert.ok(secret in secrets, secret)
}

/** The settings in the variables of the shell, with absolute paths. */
export async function settingsOf(shell: Shell): Promise<Record<string, string>> {
  const settings = Object.entries(await shell.environment())
    .filter(([name]) => KNOWN.has(name))
    .map(([name, value]) => [name, name.endsWith('_FILE') ? join(shell.folder, value) : value])
  return { DATA_DIR: join(shell.folder, 'data'), ...Object.fromEntries(settings) }
}
