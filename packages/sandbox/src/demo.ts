import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '@zatgate/server/domain/account'
import type { Plan } from '@zatgate/server/domain/plan'
import type { Service } from '@zatgate/server/main'
import type { Sandbox } from './sandbox.ts'

const EMAIL = 'demo@zatgate.example'

/** What a script needs to use the sandbox: `sandbox.json` in the data directory. */
export interface DemoFile {
  readonly api_url: string
  readonly api_key: string
  readonly session_token: string
  readonly email: string
  readonly viewing_key: string
  readonly sandbox_url: string
  readonly lightwalletd_url: string
  readonly swap_api_url: string
}

/**
 * The demo account, on the plan without a limit and under the sandbox wallet's key, with credentials that stay the same
 * for as long as they are valid; and the file that tells of them.
 */
export async function seedDemo(
  service: Service,
  sandbox: Sandbox,
  { dataDir, plans }: { readonly dataDir: string; readonly plans: readonly Plan[] },
): Promise<DemoFile> {
  const { accounts, credentials, viewingKeys } = service
  const file = join(dataDir, 'sandbox.json')
  const kept = read(file)

  const unlimited = plans.find(plan => plan.monthlyInvoiceLimit === null) ?? plans.at(-1)!
  await accounts.open(EMAIL)
  let account = await accounts.setPlan(EMAIL, unlimited.name, null)
  if (account.viewingKeyId === null) account = (await viewingKeys.set(account, sandbox.demoViewingKey)).account

  const demo: DemoFile = {
    api_url: service.url,
    api_key: await apiKey(),
    session_token: await sessionToken(),
    email: EMAIL,
    viewing_key: sandbox.demoViewingKey,
    sandbox_url: sandbox.controlUrl,
    lightwalletd_url: sandbox.lightwalletdUrl,
    swap_api_url: sandbox.swapApiUrl,
  }
  write(file, demo)
  return demo

  async function apiKey(): Promise<string> {
    const key = kept.api_key
    if (key !== undefined && isOwn(await credentials.byApiKey(key), account)) return key
    return (await credentials.createApiKey(account, 'Sandbox')).key
  }

  async function sessionToken(): Promise<string> {
    const token = kept.session_token
    if (token !== undefined && isOwn((await credentials.bySessionToken(token))?.account, account)) return token
    return (await credentials.createSession(account, 'Sandbox')).token
  }
}

function isOwn(owner: Account | null | undefined, account: Account): boolean {
  return owner?.id === account.id
}

function read(file: string): Partial<DemoFile> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<DemoFile>
  } catch {
    return {}
  }
}

/** Whole or not at all, and for the owner's eyes only: it holds credentials. */
function write(file: string, demo: DemoFile): void {
  const draft = `${file}.new`
  writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
