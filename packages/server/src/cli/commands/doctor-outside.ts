import { backupFolder, newestFileSecs } from '../../adapters/system/backup-folder.ts'
import type { Config } from '../../config/settings.ts'
import { isBackupMissing } from '../../domain/backup.ts'
import { sqliteFile } from '../../store/open.ts'
import { CHECK_TIMEOUT_MS, type Finding, skipped } from './doctor-finding.ts'
import { withHttpClient } from './doctor-http.ts'

/** Whether the service answers at its public URL, as buyers reach it. A warning: it may not run yet. */
export async function checkPublicUrl({ publicUrl, roles, sandbox }: Config): Promise<Finding[]> {
  if (publicUrl === null || sandbox || !roles.includes('api')) return []
  const check = 'public URL'
  try {
    const { status, body } = await withHttpClient(http =>
      http.send({
        method: 'GET',
        url: `${publicUrl}/healthz`,
        headers: { 'user-agent': 'zatgate' },
        deadlineMs: CHECK_TIMEOUT_MS,
        maxBytes: 64 * 1024,
      }),
    )
    if (status === 200 && Buffer.from(body).toString() === 'ok')
      return [{ check, state: 'ok', says: `zatgate answers at ${publicUrl}` }]
    throw new Error(`status ${status}, and not the answer of zatgate`)
  } catch (error) {
    const says = `${publicUrl} does not lead to zatgate: ${(error as Error).message}`
    const advice =
      'start the service; check the DNS name, the proxy and its certificate. A firewall may allow it from outside only'
    return [{ check, state: 'warning', says, advice }]
  }
}

/** Whether a recent backup lies where the guides put it. @param now Unix seconds */
export async function checkBackup({ databaseUrl, network }: Config, now: number): Promise<Finding> {
  const check = 'backup'
  if (network === 'regtest') return skipped(check, 'a regtest has no real money')
  const file = sqliteFile(databaseUrl)
  if (file === null) return skipped(check, 'of PostgreSQL with its own tools, which zatgate does not see')
  const folder = backupFolder(file)
  const newest = await newestFileSecs(folder)
  const age = newest === null ? null : now - newest
  if (age !== null && !isBackupMissing(newest, now))
    return { check, state: 'ok', says: `the newest in ${folder} is ${Math.max(0, Math.floor(age / 3_600))} hours old` }
  const says =
    age === null ? `there is no backup in ${folder}` : `the newest in ${folder} is ${Math.floor(age / 86_400)} days old`
  return { check, state: 'warning', says, advice: 'make one every day with zatgate backup: see docs/backup.md' }
}
