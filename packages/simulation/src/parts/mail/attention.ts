import type { SentMail } from '../../world/mailboxes.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'
import { type KnownMail, lastAttentionMailAt, type MailRow, type MissingInvoice, readMissing } from './ledger.ts'

const DELAY_SECS = 120
const INTERVAL_SECS = 3_600
const MAX_LISTED = 10

/** Checks the mails about paid invoices whose payments are missing. */
export class AttentionJudge {
  readonly #world: World
  /** The invoices that need attention, with the number of the commit that made it so. */
  #missing = new Map<bigint, MissingInvoice & { readonly since: number }>()
  /** The number of commits before each mail was sent. */
  readonly #sentAt = new WeakMap<SentMail, number>()
  #commits = 0
  /** The queued mails, by account. */
  #queued: ReadonlyMap<bigint | null, MailRow> = new Map()

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => this.#missing.clear())
  }

  /** Whether an invoice of the account needs attention, and no mail is queued: a shared commit may queue the next one. */
  mustBeMailed(accountId: bigint | null): boolean {
    return (
      !this.#queued.has(accountId) && [...this.#missing.values()].some(({ account_id }) => account_id === accountId)
    )
  }

  /** Called after each commit, with the queue. */
  check(queue: readonly MailRow[], hasBaseline: boolean): void {
    this.#commits += 1
    const queuedBefore = this.#queued
    const mails = queue.filter(({ about }) => about === 'reorged_payments')
    this.#queued = new Map(mails.map(mail => [mail.account_id, mail]))
    const missing = readMissing(this.#world)
    if (missing.length === 0 && this.#missing.size === 0) return
    const before = this.#missing
    this.#missing = new Map(
      missing.map(invoice => [invoice.id, before.get(invoice.id) ?? { ...invoice, since: this.#commits }]),
    )
    if (!hasBaseline) return
    for (const { id, account_id: account, public_id: publicId } of missing) {
      if (before.has(id)) continue
      const mail = this.#queued.get(account)
      if (!mail) this.#world.fail('a paid invoice without its payments is mailed', `invoice ${short(publicId)}`)
      // A mail that was queued before may be due for an earlier attempt: another one was recorded since.
      else if (mail.attempts === 0n && !isSame(mail, queuedBefore.get(account))) this.#checkDue(mail)
    }
  }

  /** Short reorganisations cause no mail, and an account gets at most one mail an hour. */
  #checkDue({ recipient, due_at: due, created_at: created, account_id: account }: MailRow): void {
    if (due - created < BigInt(DELAY_SECS))
      this.#world.fail('a mail about missing payments waits', `to ${recipient}: ${due - created} s`)
    const last = lastAttentionMailAt(this.#world, account!)
    if (last !== null && Number(due) < Math.min(last, Number(created)) + INTERVAL_SECS)
      this.#world.fail('an account gets at most one mail an hour about missing payments', `to ${recipient}`)
  }

  /** Called when a process hands over a mail. */
  send(known: KnownMail, mail: SentMail): void {
    this.#sentAt.set(mail, this.#commits)
    const listed = mail.text.split('\n').filter(line => line.startsWith('- ') && line.includes('/invoices/')).length
    if (listed === 0 || listed > MAX_LISTED)
      this.#world.fail('a mail about missing payments lists up to 10 invoices', `to ${known.row.recipient}: ${listed}`)
  }

  /** Called when a mail has left the queue, or is postponed after it was sent. */
  checkSent({ row, claims }: KnownMail, how: 'removed' | 'postponed'): void {
    // After a mail whose record was lost, a later attempt may find nothing missing, and send none.
    const mail = claims.findLast(({ process }) => process === this.#world.committer)?.mail
    const acknowledgedMs = mail?.acknowledgedClockMs ?? null
    if (!mail || acknowledgedMs === null) return
    const last = lastAttentionMailAt(this.#world, row.account_id!)
    if (last === null || last < Math.floor(acknowledgedMs / 1000))
      this.#world.fail('the time of a mail about missing payments is kept', `to ${row.recipient}`)
    // A shared commit may remove the mail, and queue the next one.
    if (how === 'postponed' || this.#queued.has(row.account_id)) return
    const sentAt = this.#sentAt.get(mail) ?? 0
    for (const invoice of this.#missing.values()) {
      if (invoice.account_id !== row.account_id) continue
      const isListed = mail.text.includes(invoice.public_id) || mail.text.includes('\nand ')
      if (invoice.since > sentAt || !isListed)
        this.#world.fail('each paid invoice without its payments is mailed', `invoice ${short(invoice.public_id)}`)
    }
  }
}

/** SQLite gives the id of a removed mail to the next one. */
function isSame(mail: MailRow, other: MailRow | undefined): boolean {
  return mail.id === other?.id && mail.created_at === other.created_at
}
