import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { stackOf, type TestScope, temporaryFolder } from '../harness/container.ts'
import { blocksOf, ROOT, readDocument } from '../harness/guide.ts'
import type { TestService } from '../harness/service.ts'
import { openShell, type Shell } from '../harness/shell.ts'

const run = promisify(execFile)

/** A document whose snippets are run as they stand. */
export class Guide {
  readonly text: string
  readonly #unused: Set<string>
  readonly #blocks = new Map<string, string>()

  /** @param path below the root of the project, such as `docs/webhooks.md` */
  constructor(path: string) {
    this.text = readDocument(path)
    for (const { tag, text } of blocksOf(path)) {
      assert.ok(!this.#blocks.has(tag), `${path} has two blocks \`\`\`${tag}`)
      this.#blocks.set(tag, text)
    }
    this.#unused = new Set(this.#blocks.keys())
  }

  /** @param tag such as `sh create` */
  block(tag: string): string {
    this.#unused.delete(tag)
    return this.#blocks.get(tag) ?? assert.fail(`the guide has no block \`\`\`${tag}`)
  }

  /** The first column of the table below a heading, without the code marks. */
  rows(heading: string): string[] {
    const [, section = ''] = this.text.split(`\n## ${heading}\n`)
    const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `?(.*?)`? \|/gm)
    return [...rows].map(([, name = '']) => name).slice(1)
  }

  /** Asserts that every block was read by a test. Call last. */
  assertAllUsed(): void {
    assert.deepEqual([...this.#unused], [], 'these blocks are not tested')
  }
}

/** Opens a shell in a folder with `data/sandbox.json`. The addresses of a sandbox in commands lead to this service. */
export function openSandboxShell(test: TestScope, service: TestService): Shell {
  const { url, apiKey, sessionToken, email, sandbox } = service
  const folder = temporaryFolder(stackOf(test))
  mkdirSync(join(folder, 'data'))
  writeFileSync(
    join(folder, 'data/sandbox.json'),
    JSON.stringify({
      ...{ api_url: url, api_key: apiKey, session_token: sessionToken, email },
      ...{ viewing_key: sandbox.demoViewingKey, sandbox_url: sandbox.controlUrl },
    }),
  )
  const replace = { 'http://127.0.0.1:3000': url, 'http://127.0.0.1:4010': sandbox.controlUrl }
  return openShell(test, { folder, replace })
}

/** Runs an ES module in a separate process, where the packages of the project can be imported. @returns its output */
export async function runModule(code: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    env: { PATH: dirname(process.execPath), NODE_ENV: 'test', ...env },
    timeout: 60_000,
  })
  return stdout
}

/** Asserts that bash can parse the commands, which are not run. */
export function checkSyntax(commands: string): void {
  const { status, stderr } = spawnSync('bash', ['-n', '-c', commands], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

/** The lines of `zatgate doctor`, without the warning of the user root, who may run the tests. */
export function doctorLines(output: string): string[] {
  return output
    .replace(/^WARNING {2}settings: zatgate runs as root\n.*\n/m, '')
    .trim()
    .split('\n')
}

/** Asserts that a response has the members, types and statuses of the one that the guide shows. */
export function assertShown(shown: string, response: unknown): void {
  assert.deepEqual(masked(response), masked(JSON.parse(shown)))
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}$/

/** The value with ids, addresses, times and quoted amounts replaced by their kind. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(masked)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]))
  if (typeof value === 'number') return value > 1_700_000_000 && value < 4_000_000_000 ? 'time' : value
  if (typeof value !== 'string') return value
  if (UUID.test(value)) return value.replace(UUID, 'uuid').replace(/:\d+/, ':port')
  // The first sources that agree give a rate.
  if (/^(?:coinbase|coingecko|gemini|kraken)$/.test(value)) return 'source'
  if (/^[0-9a-f]{64}$/.test(value)) return 'txid'
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return 'time'
  if (/^http:\/\/127\.0\.0\.1:\d+\//.test(value)) return value.replace(/:\d+/, ':port')
  if (/^\d+(\.\d+)?$/.test(value)) return 'amount'
  if (/^zcash:u/.test(value)) return value.replace(/zcash:\w+|memo=.*/g, '…')
  return /^u(?:regtest|test)?1/.test(value) ? 'address' : value
}
