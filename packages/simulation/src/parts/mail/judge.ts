import type { Rule } from '../../rules.ts'
import type { ServiceProcess } from '../../service/process.ts'
import type { SentMail } from '../../world/mailboxes.ts'
import type { World } from '../../world/world.ts'
import { AttentionJudge } from './attention.ts'
import { causeProblem, isSame } from './causes.ts'
import { type Causes, type Claim, isExpired, type KnownMail, type MailRow, readCauses, readQueue } from './ledger.ts'

const MAX_ATTEMPTS = 8
/** From one attempt to the next: one minute, doubled each time, at most an hour. */
const BACKOFF_SECS = [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]

/** Checks the queue of mails, and what the mail server receives. */
export class MailJudge {
  readonly #world: World
  readonly #attention: AttentionJudge
  readonly #queue = new Map<bigint, KnownMail>()
  /** Mails that have left the queue: a process that stalls may send one of them late. */
  readonly #removed: KnownMail[] = []
  /** Mails that a restored database may not contain: a process that ran meanwhile may still send them. */
  readonly #forgotten: KnownMail[] = []
  #causes: Causes | null = null
  /** The emails of deleted accounts. */
  readonly #deleted = new Set<string>()

  constructor(world: World) {
    this.#world = world
    this.#attention = new AttentionJudge(world)
    // The restored content is taken as it is.
    world.onRestore(() => {
      this.#forgotten.push(...this.#removed.splice(0), ...this.#queue.values())
      this.#queue.clear()
      this.#causes = null
    })
  }

  check(): void {
    const rows = readQueue(this.#world)
    const causes = readCauses(this.#world)
    const created = rows.filter(row => !this.#isKnown(row))
    if (this.#causes) {
      const problem = causeProblem(this.#happened(rows), this.#causes, causes)
      if (problem !== null) this.#world.fail('changes of an account are mailed to its owner', problem)
    }
    for (const email of this.#causes?.accounts.keys() ?? []) if (!causes.accounts.has(email)) this.#deleted.add(email)
    const present = new Set(rows.map(({ id }) => id))
    for (const row of created) present.delete(row.id)
    this.#attention.check(rows, this.#causes !== null)
    for (const [id, mail] of this.#queue) if (!present.has(id)) this.#remove(mail)
    const hasBaseline = this.#causes !== null
    this.#causes = causes
    for (const row of created) {
      // One commit may queue a mail and claim it.
      const queued = hasBaseline && row.attempts > 0n ? { ...row, attempts: 0n, due_at: row.created_at } : row
      this.#queue.set(row.id, { row: queued, claims: [], isGivenUp: false })
    }
    for (const row of rows) this.#update(this.#queue.get(row.id)!, row)
  }

  /** A row for each event that this commit has queued. */
  #happened(rows: readonly MailRow[]): MailRow[] {
    return rows.flatMap(row => {
      const events = row.events - (this.#isKnown(row) ? this.#queue.get(row.id)!.row.events : 0n)
      return Array<MailRow>(Number(events)).fill(row)
    })
  }

  /** SQLite gives the id of a removed row to the next one, also within one commit. */
  #isKnown(row: MailRow): boolean {
    const earlier = this.#queue.get(row.id)?.row
    if (!earlier) return false
    if (isNotice(row)) {
      const isEqual = (['recipient', 'about', 'created_at'] as const).every(column => row[column] === earlier[column])
      return isEqual && row.events >= earlier.events && row.mailed_events >= earlier.mailed_events
    }
    const isPostponed = row.about === 'reorged_payments' || row.attempts >= earlier.attempts
    const isEqual = (['recipient', 'about', 'detail', 'code_id', 'created_at', 'account_id'] as const).every(
      column => row[column] === earlier[column],
    )
    return isEqual && isPostponed
  }

  #update(mail: KnownMail, row: MailRow): void {
    const before = mail.row
    mail.row = row
    if (row.mailed_events > before.mailed_events) this.#finish(mail, before)
    else if (row.attempts === before.attempts + 1n) this.#claim(mail, before)
    else if (row.attempts === 0n && (before.attempts > 0n || this.#isPutOff(before, row))) this.#postpone(mail, before)
    else if (row.attempts !== before.attempts || row.due_at !== before.due_at)
      this.#fail('a mail is claimed once for each attempt', mail, `${before.attempts} → ${row.attempts}`)
  }

  #isPutOff(before: MailRow, row: MailRow): boolean {
    return row.about === 'reorged_payments' && row.due_at !== before.due_at
  }

  /** The row says when the mail is due again, and so what the clock showed when it was claimed. */
  #claim(mail: KnownMail, before: MailRow): void {
    const { clockErrors, committer } = this.#world
    const process = committer as ServiceProcess
    const { attempts, due_at: due } = mail.row
    const claimedAt = Number(due) - (BACKOFF_SECS[Number(attempts) - 1] ?? 3_600)
    const latest = Math.floor((process.clock.nowMs() + clockErrors.maxMs - clockErrors.minMs) / 1000)
    if (claimedAt < Number(before.due_at) || claimedAt > latest)
      this.#fail(
        'a mail is sent when it is due',
        mail,
        `attempt ${attempts}: ${claimedAt - Number(before.due_at)} s later`,
      )
    this.#world.transition('mail', attempts === 1n ? 'queued' : 'failed', 'claimed')
    mail.claims.push({ process, mail: null })
  }

  #postpone(mail: KnownMail, before: MailRow): void {
    if (before.about !== 'reorged_payments') this.#fail('a mail is claimed once for each attempt', mail, 'postponed')
    this.#world.transition('mail', 'claimed', 'postponed')
    this.#attention.checkSent(mail, 'postponed')
  }

  /** The events of a notice are mailed, or cannot be. Its row stays for the next ones. */
  #finish(mail: KnownMail, before: MailRow): void {
    if (mail.row.attempts !== 0n) this.#fail('a mail is claimed once for each attempt', mail, 'mailed and claimed')
    const finished = { row: before, claims: mail.claims.splice(0), isGivenUp: false }
    this.#end(finished)
  }

  /** A mail leaves the queue when it was sent, or cannot be sent. */
  #remove(mail: KnownMail): void {
    this.#queue.delete(mail.row.id)
    const { row } = mail
    if (isNotice(row) && row.events === row.mailed_events) return
    this.#end(mail)
  }

  #end(mail: KnownMail): void {
    this.#removed.push(mail)
    const isAboutPayments = mail.row.about === 'reorged_payments'
    if (isAboutPayments && !this.#deleted.has(mail.row.recipient)) this.#attention.checkSent(mail, 'removed')
    mail.isGivenUp = this.#mayBeGivenUp(mail.row)
    const isSent = mail.claims.some(isAccepted) || this.#isEqualSent(mail)
    this.#world.transition('mail', 'claimed', isSent ? 'sent' : 'given up')
    if (!isSent && !mail.isGivenUp)
      this.#fail('a mail stays in the queue until it is sent', mail, `after ${mail.row.attempts} attempts`)
  }

  #mayBeGivenUp(row: MailRow): boolean {
    if (this.#deleted.has(row.recipient)) return true
    if (row.attempts >= BigInt(MAX_ATTEMPTS)) return true
    if (row.about === 'code') return this.#isCodeExpired(row)
    return row.about === 'reorged_payments' && !this.#attention.mustBeMailed(row.account_id)
  }

  /** Equal mails cannot be distinguished: at least as many were accepted as have left the queue. */
  #isEqualSent({ row }: KnownMail): boolean {
    const isEqual = (other: KnownMail) => other.row.recipient === row.recipient && other.row.about === row.about
    const removed = this.#removed.filter(isEqual)
    const known = [...removed, ...[...this.#queue.values(), ...this.#forgotten].filter(isEqual)]
    const accepted = known.flatMap(({ claims }) => claims.filter(isAccepted))
    return accepted.length >= removed.filter(({ isGivenUp }) => !isGivenUp).length
  }

  #isCodeExpired({ code_id: codeId }: MailRow): boolean {
    const { clockErrors, committer } = this.#world
    const latestMs = (committer as ServiceProcess).clock.nowMs() + clockErrors.maxMs - clockErrors.minMs
    return codeId !== null && isExpired(this.#world, codeId, latestMs / 1000)
  }

  /** A process hands over a mail. Of equal mails, each belongs to another claim. */
  sent(mail: SentMail): void {
    for (const known of [...this.#queue.values(), ...this.#removed, ...this.#forgotten]) {
      if (!isSame(known.row, mail)) continue
      const claim = known.claims.findLast(({ process, mail: sent }) => process === mail.process && sent === null)
      if (!claim) continue
      claim.mail = mail
      if (known.row.about === 'reorged_payments') this.#attention.send(known, mail)
      return
    }
    this.#world.fail('a mail is claimed before it is sent', `${mail.process.name} to ${mail.to}: ${mail.subject}`)
  }

  /** Why the queue has not settled. Called after all faults have ended. */
  unsettled(): string | null {
    for (const { row, claims } of this.#queue.values()) {
      const { recipient, about, attempts, due_at: due } = row
      if (isNotice(row) && row.events === row.mailed_events) continue
      const isKnownSent = claims.some(({ mail }) => mail !== null && mail.acknowledgedClockMs !== null)
      const overdueSecs = this.#world.nowSecs - Number(due)
      const mayWait = about === 'reorged_payments' || !isKnownSent || overdueSecs < -3_600
      if (mayWait && overdueSecs < 15) continue
      return `the mail to ${recipient} about ${about} is due since ${overdueSecs} s, after ${attempts} attempts`
    }
    return null
  }

  #fail(rule: Rule, { row }: KnownMail, detail: string): void {
    this.#world.fail(rule, `to ${row.recipient} about ${row.about}: ${detail}`)
  }
}

/** A mail whose row stands for all events of its kind. */
function isNotice({ queue, about }: MailRow): boolean {
  return queue === 'notice' && about !== 'reorged_payments'
}

function isAccepted({ mail }: Claim): boolean {
  return mail?.accepted === true
}
