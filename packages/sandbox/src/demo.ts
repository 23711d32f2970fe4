import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxFile } from '@zatgate/server/cli/sandbox-file'
import type { Account } from '@zatgate/server/domain/account/account'
import type { Plan } from '@zatgate/server/domain/account/plan'
import type { Service } from '@zatgate/server/main'
import { replaceFile } from './replace-file.ts'
import type { Sandbox } from './sandbox.ts'

const EMAIL = 'demo@zatgate.example'

/** The contents of `sandbox.json` in the data directory: the URLs and credentials that scripts need. */
export interface DemoFile extends SandboxFile {
  readonly viewing_key: string
  readonly lightwalletd_url: string
  readonly swap_api_url: string
  readonly smtp_url: string
  readonly rates_url: string
}

/**
 * Creates the demo account, with the unlimited plan and the viewing key of the sandbox merchant, and writes its
 * credentials to `sandbox.json`. Credentials from an earlier start are reused while they are valid.
 */
export async function seedDemo(
  service: Service,
  sandbox: Sandbox,
  { dataDir, plans }: { readonly dataDir: string; readonly plans: readonly Plan[] },
): Promise<DemoFile> {
  const { accounts, apiKeys, sessions, viewingKeys } = service
  const file = join(dataDir, 'sandbox.json')
  const saved = readDemoFile(file)

  const unlimited = plans.find(plan => plan.monthlyInvoiceLimit === null) ?? plans.at(-1)!
  await accounts.findOrCreate(EMAIL)
  let account = await accounts.setPlan(EMAIL, unlimited.name, null)
  // Every start has a working account, also after its deletion was tried.
  await service.accountDeletions.cancel(account)
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
    smtp_url: sandbox.smtpUrl,
    rates_url: sandbox.ratesUrl,
  }
  replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`)
  return demo

  async function apiKey(): Promise<string> {
    const key = saved.api_key
    if (key !== undefined && isOwn((await apiKeys.authenticate(key))?.account, account)) return key
    return (await apiKeys.create(account, 'Sandbox')).key
  }

  async function sessionToken(): Promise<string> {
    const token = saved.session_token
    if (token !== undefined && isOwn((await sessions.authenticate(token))?.account, account)) return token
    return (await sessions.create(account, 'Sandbox')).token
  }
}

function isOwn(owner: Account | null | undefined, account: Account): boolean {
  return owner?.id === account.id
}

function readDemoFile(file: string): Partial<DemoFile> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<DemoFile>
  } catch {
    return {}
  }
}
