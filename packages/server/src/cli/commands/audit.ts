import { systemClock } from '../../adapters/system/clock.ts'
import { AUDIT_KINDS, isAuditKind } from '../../domain/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import { createAuditLog } from '../../services/audit.ts'
import type { Command } from '../command.ts'
import { table } from '../output.ts'
import { withStore } from '../store.ts'
import { parseArguments, UsageError } from '../usage.ts'
import { accountService } from './account.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

export const audit: Command = {
  name: 'audit',
  usage: 'audit [--email E] [--kind K] [--limit N] [--before ID]',
  summary: 'lists sign-ins, changes of accounts and operator commands, newest first',
  arguments: [
    ['--email E', 'only of this account'],
    ['--kind K', 'only of this kind, such as sign_in'],
    ['--limit N', 'at most this number of entries'],
    ['--before ID', 'those older than this entry'],
  ],
  example: 'audit --email shop@example.com --limit 20',
  async run(args, { out, config }) {
    const { email, kind, limit, before } = parseArguments(args, ['email', 'kind', 'limit', 'before'], 0).values
    if (kind !== undefined && !isAuditKind(kind))
      throw new UsageError(`--kind must be one of ${Object.keys(AUDIT_KINDS).join(', ')}`)
    const count = wholeNumber('--limit', limit, MAX_LIMIT) ?? DEFAULT_LIMIT
    const beforeId = wholeNumber('--before', before, Number.MAX_SAFE_INTEGER)
    const settings = config()
    const entries = await withStore(
      settings,
      async store => {
        const accountId =
          email === undefined ? undefined : (await accountService(settings, store).findByEmail(email)).id
        const filter = { ...(accountId !== undefined && { accountId }), ...(kind !== undefined && { kind }) }
        return createAuditLog({ store, clock: systemClock }).list(filter, count, beforeId)
      },
      { out },
    )
    out.result(
      entries.map(({ id, email: account, kind: name, actor, detail, createdAt }) => ({
        id,
        account,
        kind: name,
        ...actor,
        detail,
        created_at: createdAt,
      })),
      entries.length === 0
        ? ['no entries']
        : table(
            ['id', 'time', 'account', 'what', 'by', 'network', 'client', 'detail'],
            entries.map(({ id, email: account, kind: name, actor, detail, createdAt }) => [
              String(id),
              formatUtc(createdAt),
              account ?? '',
              name,
              actor.by,
              actor.network ?? '',
              actor.client ?? '',
              detail ?? '',
            ]),
          ),
    )
    const last = entries.at(-1)
    if (last && entries.length === count) out.note(`older entries: --before ${last.id}`)
    return 0
  },
}

/** @throws UsageError unless the text is a number from 1 to `max` */
function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max) throw new UsageError(`${name} must be a whole number from 1 to ${max}`)
  return value
}
