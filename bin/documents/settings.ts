import { join } from 'node:path'
import { InvalidValue } from '../../packages/server/src/config/parsers.ts'
import { SECRETS, SETTING_GROUPS, type Setting } from '../../packages/server/src/config/setting-table.ts'
import { type ClassLimits, RATE_CLASSES } from '../../packages/server/src/http/rate-limit.ts'

/** The path of the document. */
export const SETTINGS_FILE = join(import.meta.dirname, '../../docs/settings.md')

/** The document from the present sources. */
export function settingsDocument(): string {
  const groups = Object.entries(SETTING_GROUPS).map(
    ([title, settings]) => `## ${title}

| setting | meaning | value | default |
|---|---|---|---|
${Object.entries(settings).map(row).join('\n')}
`,
  )
  return `# Settings

All settings are environment variables. Without any, zatgate starts the sandbox: a simulated network to try it in. [going-live.md](going-live.md#3-settings) chooses them step by step for a real shop.

- An empty value counts as unset.
- With an invalid value the service does not start, and lists all problems. \`zatgate doctor\` checks the settings and the services that they name.
- Secrets can be in files: instead of \`ENCRYPTION_KEY\` set \`ENCRYPTION_KEY_FILE\` to a path. This works for ${list(SECRETS)}.

\`npm run documents\` writes this page from \`packages/server/src/config/setting-table.ts\`.

${groups.join('\n')}
## Health checks

\`/healthz\` is 200 while the process responds. \`/readyz\` names each failed check: \`database\`, \`migrations\`, \`chain\` or \`watcher\`. Its status is 503 for the first two; in a process with the role \`watcher\`, for all four.

## Plans

A plan limits the invoices of an account in a month, and its viewing keys that are watched at a time (\`watched_key_limit\`, optional, default 5). An operator who is the only merchant needs no plans.

| \`PLANS_FILE\` | \`BILLING_VIEWING_KEY\` | plans |
|---|---|---|
| unset | unset | no account has a monthly limit |
| unset | set | Free has 50 invoices a month and Pro 1,000; merchants pay for Pro and Business in ZEC |
| set | unset | those of the file; \`zatgate account plan\` assigns them |
| set | set | those of the file; merchants can buy them |

## Rate limits

Requests above a limit get 429 with \`Retry-After\`. A client is an IPv4 address, or a /64 of IPv6. \`RATE_LIMIT\` bounds all requests of a client. Some routes have extra limits, per client and, after authentication, per account:

| requests per minute (at once) | one client | one account |
|---|---|---|
${Object.values(RATE_CLASSES).flatMap(limits).join('\n')}

- A swap can be started 5 times in 10 minutes for one invoice.
- One session or scoped API key may use half of its account's limit, so that a stolen one leaves the rest to its owner.
- Each process counts on its own.
`
}

function row([name, setting]: [name: string, setting: Setting]): string {
  return `| \`${name}\` | ${setting.meaning} | ${escaped(expectedOf(setting))} | ${shownDefault(setting)} |`
}

/** A description of valid values: the message for an invalid one. */
function expectedOf({ parse }: Setting): string {
  try {
    parse('')
  } catch (error) {
    if (error instanceof InvalidValue) return error.message
    throw error
  }
  throw new Error('a parser accepts an empty value')
}

function shownDefault({ shownDefault, default: value }: Setting): string {
  return shownDefault ?? `\`${Array.isArray(value) ? value.join(',') : value}\``
}

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('|', '\\|')
}

function list(names: readonly string[]): string {
  const quoted = names.map(name => `\`${name}\``)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

/** The row of a class of routes; none when only `RATE_LIMIT` applies to it. */
function limits({ routes, client, account }: ClassLimits): string[] {
  const shown = (limit: ClassLimits['client'], otherwise: string) =>
    limit === undefined ? otherwise : `${count(limit.perMinute)} (${count(limit.atOnce)})`
  if (client === undefined && account === undefined) return []
  return [`| ${routes} | ${shown(client, '`RATE_LIMIT`')} | ${shown(account, '')} |`]
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
