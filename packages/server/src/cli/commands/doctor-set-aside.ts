import type { SetAsideKind } from '../../domain/set-aside.ts'
import { formatUtcMinute } from '../../domain/time.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store } from '../../ports/store.ts'
import { type Finding, skipped } from './doctor-finding.ts'

const MAX_LISTED = 20
const repair = 'repair the row in the database; it is tried again at the time shown, and nothing else waits for it'

/** Advice for the operator. */
const ADVICE: Readonly<Record<SetAsideKind, string>> = {
  scan_key:
    'payments to this viewing key are not seen, and its invoices do not expire: add the encryption key that sealed it to ' +
    'ENCRYPTION_KEY, or restore the column "sealed" of the row in "viewing_keys" from a backup; the missed blocks are then ' +
    'read automatically',
  invoice: `its payments are recorded and not evaluated: ${repair}`,
  webhook:
    'its secret does not open: add the encryption key that sealed it to ENCRYPTION_KEY, or ask the owner of the account to ' +
    'rotate the secret',
  delivery: repair,
  endpoint:
    'its secret does not open, or its row is damaged: add the encryption key that sealed it to ENCRYPTION_KEY, or ask the ' +
    'owner of the account to rotate the secret of the endpoint',
  mail: repair,
  plan: `the plan stays as it is: ${repair}`,
  plan_reminder: repair,
  swap: repair,
  account_deletion: `the account is not deleted yet: ${repair}`,
}

/** Lists the rows that background work has set aside, because it failed for them alone. */
export async function checkSetAside(store: Store): Promise<Finding[]> {
  const check = 'rows set aside'
  try {
    const [counts, listed] = await store.read(
      async tx => [await tx.setAside.countByKind(), await tx.setAside.list(MAX_LISTED)] as const,
    )
    const total = counts.reduce((sum, { rows }) => sum + rows, 0)
    if (total === 0) return [{ check, state: 'ok', says: 'none' }]
    const findings = listed.map(entry => describe(check, entry))
    if (total <= listed.length) return findings
    const kinds = counts.map(({ kind, rows }) => `${rows} ${kind}`).join(', ')
    return [...findings, { check, state: 'wrong', says: `${total} rows in all: ${kinds}` }]
  } catch {
    return [skipped(check, 'the database does not open')]
  }
}

function describe(check: string, entry: SetAside): Finding {
  const { kind, reference, rowId, accountId, error, failures, firstAt, nextAttemptAt } = entry
  const row = rowId === null ? reference.slice(0, 8) : `id ${rowId}`
  const account = accountId === null ? '' : ` of account ${accountId}`
  const since = `failed ${failures} times since ${formatUtcMinute(firstAt)}, next attempt ${formatUtcMinute(nextAttemptAt)}`
  return { check, state: 'wrong', says: `${kind} ${row}${account}: ${error}; ${since}`, advice: ADVICE[kind] }
}
