import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './context.ts'

/** The members of `sandbox.json`, in the data directory of a sandbox, that commands beside it need. */
export interface SandboxFile {
  readonly api_url: string
  /** Creates invoices. */
  readonly api_key: string
  readonly session_token: string
  readonly email: string
  /** Its control API. */
  readonly sandbox_url: string
}

/** Null when the settings are those of a real service, or when no sandbox was started in their data directory. */
export function readSandboxFile({ config }: Pick<Context, 'config'>): SandboxFile | null {
  const { sandbox, dataDir } = config()
  if (!sandbox) return null
  try {
    return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as SandboxFile
  } catch {
    return null
  }
}
