import { AUDIT_KINDS, isAuditKind } from '../domain/account/audit.ts'
import { EVENT_TYPES } from '../domain/notify/event.ts'
import { isExportFormat, isExportKind } from '../domain/sale/export.ts'
import {
  blockHash,
  date,
  diversifierIndex,
  eventType,
  eventTypes,
  flag,
  height,
  oneOf,
  optional,
  optionalPositional,
  positional,
  required,
  since,
  text,
  wholeNumber,
} from './argument.ts'
import { type Command, command } from './command.ts'

const EMAIL = positional(text, 'EMAIL', 'the account')
const ID = positional(text, 'ID', 'the id of the withdrawal')
const ACCOUNT_OPTION = required(text, 'E', 'the account')
const VIEWING_KEY = {
  'viewing-key-file': optional(text, 'FILE', 'a file with the unified viewing key; `-` reads it from standard input'),
  'viewing-key': optional(text, 'K', 'the key itself, which the shell history and other users of the machine can see'),
}
const EXAMPLE_ID = '5d4c1c0e-3c53-4b0e-8a51-2f0c4f6f7b10'

/** Every command, in the order of the help. The code of a command is loaded when it runs. */
export const COMMANDS: readonly Command[] = [
  command('start', {
    summary: 'runs the service; on a simulated network when NETWORK is not set',
    run: async (_, context) => (await import('./commands/start.ts')).start(context),
  }),
  command('try', {
    summary: 'creates an invoice on a simulated network, pays it, and shows the webhook arriving; keeps nothing',
    run: async (_, context) => (await import('./commands/try.ts')).tryOut(context),
  }),
  command('doctor', {
    summary: 'checks settings, database, chain source, clock, mail, swap provider and exchange rates',
    run: async (_, context) => (await import('./commands/doctor.ts')).doctor(context),
  }),
  command('address', {
    summary: 'prints the address at a diversifier index',
    arguments: {
      ...VIEWING_KEY,
      index: required(diversifierIndex, 'N', 'the diversifier index, from 0 to 2^88 - 1'),
    },
    usage: '--viewing-key-file FILE --index N',
    example: '--viewing-key-file key.txt --index 7',
    run: async (values, { out }) => (await import('./commands/address.ts')).address(values, out),
  }),
  command('open', {
    summary: 'lists the payments that a viewing key detects in a raw transaction or in compact blocks',
    arguments: {
      ...VIEWING_KEY,
      tx: optional(text, 'HEX', 'a raw transaction in hex'),
      blocks: optional(text, 'FILE', 'JSON with compact blocks in base64: {"blocks": {"<height>": "…"}}'),
    },
    usage: '--viewing-key-file FILE (--tx HEX | --blocks FILE)',
    example: '--viewing-key-file key.txt --blocks blocks.json',
    run: async (values, { out }) => (await import('./commands/open.ts')).open(values, out),
  }),
  command('account list', {
    summary: 'lists every account',
    example: '--json',
    run: async (_, context) => (await import('./commands/account.ts')).list(context),
  }),
  command('account create', {
    summary: 'opens an account, also while REGISTRATION is closed',
    arguments: { email: positional(text, 'EMAIL', 'the address that receives the sign-in codes') },
    example: 'shop@example.com',
    run: async (values, context) => (await import('./commands/account.ts')).create(values, context),
  }),
  command('account plan', {
    summary: 'assigns a plan that never expires to an account',
    arguments: {
      email: EMAIL,
      plan: positional(text, 'PLAN', 'the name of a plan, such as Free, Pro or Business'),
    },
    example: 'shop@example.com Business',
    run: async (values, context) => (await import('./commands/account.ts')).assignPlan(values, context),
  }),
  command('account email', {
    summary: 'changes the email of an account whose owner has lost the mailbox; the previous address gets a mail',
    arguments: {
      email: positional(text, 'EMAIL', 'the present address'),
      newEmail: positional(text, 'NEW_EMAIL', 'the new one, which no other account has'),
    },
    example: 'shop@example.com pay@example.com',
    run: async (values, context) => (await import('./commands/account.ts')).changeEmail(values, context),
  }),
  command('account delete', {
    summary: 'deletes an account after a week, once its invoices are settled; its keys and sessions end now',
    arguments: { email: EMAIL },
    example: 'shop@example.com',
    run: async (values, context) => (await import('./commands/account.ts')).requestDeletion(values, context),
  }),
  command('account keep', {
    summary: 'cancels the deletion of an account; its API keys stay revoked',
    arguments: { email: EMAIL },
    example: 'shop@example.com',
    run: async (values, context) => (await import('./commands/account.ts')).cancelDeletion(values, context),
  }),
  command('sign-in', {
    summary: 'prints a link that signs in to an account once, within ten minutes, for example before mail works',
    arguments: { email: EMAIL },
    example: 'shop@example.com',
    run: async (values, context) => (await import('./commands/sign-in.ts')).signIn(values, context),
  }),
  command('session create', {
    summary: 'creates a session token for an account, valid for 30 days',
    arguments: { email: ACCOUNT_OPTION },
    example: '--email shop@example.com',
    run: async (values, context) => (await import('./commands/session.ts')).createSession(values, context),
  }),
  command('session end', {
    summary: 'ends every session of an account, tokens of scripts included; its API keys keep working',
    arguments: { email: ACCOUNT_OPTION },
    example: '--email shop@example.com',
    run: async (values, context) => (await import('./commands/session.ts')).endSessions(values, context),
  }),
  command('audit', {
    summary: 'lists sign-ins, changes of accounts and operator commands, newest first',
    arguments: {
      email: optional(text, 'E', 'only of this account'),
      kind: optional(
        oneOf(isAuditKind, `one of ${Object.keys(AUDIT_KINDS).join(', ')}`),
        'K',
        'only of this kind, such as sign_in',
      ),
      limit: optional(wholeNumber(1, 200), 'N', 'at most this number of entries'),
      before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), 'ID', 'those older than this entry'),
    },
    example: '--email shop@example.com --limit 20',
    run: async (values, context) => (await import('./commands/audit.ts')).audit(values, context),
  }),
  command('export', {
    summary: 'writes the invoices or refunds of an account, oldest first, as CSV or JSON',
    arguments: {
      email: ACCOUNT_OPTION,
      kind: optional(oneOf(isExportKind, 'invoices or refunds'), 'K', 'invoices or refunds. Default: invoices'),
      format: optional(
        oneOf(isExportFormat, 'csv, csv_semicolon or json'),
        'F',
        'csv, json, or csv_semicolon: semicolons and decimal commas. Default: csv, or json with --json',
      ),
      from: optional(date, 'DATE', 'only those created at this UTC time or later, such as 2026-01-31'),
      to: optional(date, 'DATE', 'only those created before this UTC time, such as 2026-02-28T12:00:00Z'),
      file: optionalPositional(text, 'FILE', 'a new file in an existing folder; without it, standard output'),
    },
    example: '--email shop@example.com --from 2026-01-01 --to 2027-01-01 invoices-2026.csv',
    run: async (values, context) => (await import('./commands/export.ts')).exportRows(values, context),
  }),
  command('invoices erase', {
    summary: 'erases descriptions and metadata of an account’s old invoices, in their events too; order ids stay',
    arguments: {
      email: ACCOUNT_OPTION,
      before: required(date, 'DATE', 'those of invoices created before this UTC time, such as 2026-01-31'),
      dry: flag('counts them, and erases nothing'),
    },
    example: '--email shop@example.com --before 2026-01-01 --dry',
    run: async (values, context) => (await import('./commands/invoice.ts')).eraseTexts(values, context),
  }),
  command('listen', {
    summary: 'follows the events of an account and posts them, signed, to a receiver such as one on this machine',
    arguments: {
      'forward-to': required(text, 'URL', 'the receiver'),
      types: optional(eventTypes, 'T', `only these types, separated by commas: ${EVENT_TYPES.join(', ')}`),
      after: optional(
        wholeNumber(0, Number.MAX_SAFE_INTEGER),
        'SEQ',
        'those after the event with this number. Default: new ones',
      ),
      url: optional(text, 'URL', 'the service. Default: ZATGATE_URL, or the sandbox that was started here'),
      'api-key': optional(
        text,
        'KEY',
        'a scoped key with events:read. Default: ZATGATE_API_KEY, which other users of the machine do not see',
      ),
    },
    example: '--forward-to http://localhost:3001/webhook --types invoice.paid,invoice.underpaid',
    run: async (values, context) => (await import('./commands/listen.ts')).listen(values, context),
  }),
  command('trigger', {
    summary: 'makes an event happen in the running sandbox, and prints it; without a type, lists the types',
    arguments: { type: optionalPositional(eventType, 'TYPE', 'the type of the event') },
    example: 'invoice.paid',
    run: async (values, context) => (await import('./commands/trigger.ts')).trigger(values, context),
  }),
  command('webhooks resend', {
    summary: 'sends again what an account’s webhook and its endpoints have not received since a time',
    arguments: {
      email: ACCOUNT_OPTION,
      since: required(since, 'T', 'a UTC date such as 2026-01-31 or 2026-01-31T12:00:00Z, or a time ago: 36h, 2d'),
    },
    example: '--email shop@example.com --since 36h',
    run: async (values, context) => (await import('./commands/webhook.ts')).resendWebhooks(values, context),
  }),
  command('withdrawals list', {
    summary: 'lists the latest 200 withdrawals, newest first',
    run: async (_, context) => (await import('./commands/withdrawal.ts')).list(context),
  }),
  command('withdrawals show', {
    summary: 'shows one withdrawal with its full payout destination',
    arguments: { id: ID },
    example: EXAMPLE_ID,
    run: async (values, context) => (await import('./commands/withdrawal.ts')).show(values, context),
  }),
  command('withdrawals settle', {
    summary: 'marks a withdrawal as paid out, with its payment reference',
    arguments: {
      id: ID,
      reference: required(text, 'R', 'the reference of your payment'),
    },
    example: `${EXAMPLE_ID} --reference SEPA-2026-117`,
    run: async (values, context) => (await import('./commands/withdrawal.ts')).settle(values, context),
  }),
  command('withdrawals fail', {
    summary: 'marks a withdrawal as failed, with the reason',
    arguments: {
      id: ID,
      reason: required(text, 'R', 'the reason, which the merchant sees'),
    },
    example: `${EXAMPLE_ID} --reason "account closed"`,
    run: async (values, context) => (await import('./commands/withdrawal.ts')).fail(values, context),
  }),
  command('rescan', {
    summary: 'reads the chain again and records missed payments; changes nothing else',
    arguments: { from: required(height, 'HEIGHT', 'the first block that is read again') },
    example: '--from 3042000',
    run: async (values, context) => (await import('./commands/rescan.ts')).rescan(values, context),
  }),
  command('chain accept', {
    summary: 'continues the recorded chain from a block of the server after a reorganisation too deep to follow',
    arguments: {
      from: required(height, 'HEIGHT', 'the first block that is taken from the server'),
      block: optional(blockHash, 'HASH', 'confirms the block at this height; without it, only the effects are shown'),
    },
    example: '--from 3042000',
    run: async (values, context) => (await import('./commands/chain.ts')).acceptServerChain(values, context),
  }),
  command('backup', {
    summary: 'writes a consistent copy of the database to a new file; the service may be running',
    arguments: { file: positional(text, 'FILE', 'a new file in an existing folder') },
    example: '/backups/zatgate-monday.db',
    run: async (values, context) => (await import('./commands/backup.ts')).backup(values, context),
  }),
  command('restored', {
    summary: 'advances the address counters after a restore that zatgate cannot detect, such as a disk snapshot',
    run: async (_, context) => (await import('./commands/restored.ts')).restored(context),
  }),
  command('rotate-encryption-key', {
    summary: 'encrypts every secret again with the first key of ENCRYPTION_KEY=new,old',
    run: async (_, context) => (await import('./commands/rotate-encryption-key.ts')).rotateEncryptionKey(context),
  }),
]
