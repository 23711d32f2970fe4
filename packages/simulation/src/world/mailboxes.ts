import type { Mailer, OutgoingMail } from '@zatgate/server/ports/mailer'
import { Draw } from '../runtime/draw.ts'
import type { ServiceProcess } from '../service/process.ts'
import type { World } from './world.ts'

/** How the mail server treats mails. `mixed`: each mail in another way. */
const MAIL_MODES = ['works', 'mixed', 'slow', 'hangs', 'refuses', 'loses responses'] as const
export type MailMode = (typeof MAIL_MODES)[number]

/** The mailer gives up after this time without a response. */
const TIMEOUT_MS = 15_000

/** A mail that a process has handed to the mail server. */
export interface SentMail extends OutgoingMail {
  readonly process: ServiceProcess
  readonly sentMs: number
  /** Whether it is in the mailbox of its recipient. */
  accepted: boolean
  /** The clock of the process when it learned that the mail was accepted; null: it did not learn it. */
  acknowledgedClockMs: number | null
}

/** The mail server, and the mailboxes of all recipients. */
export class Mailboxes {
  mode: MailMode = 'works'
  /** How long the process of the next mail stands still once the mail is sent. */
  suspendsNextMs = 0
  /** Accepted mails, oldest first. */
  readonly delivered: SentMail[] = []
  /** Called when a process hands over a mail. */
  onSend: (mail: SentMail) => void = () => {}
  readonly #world: World
  readonly #draw: Draw
  #waiting: { readonly address: string; readonly resolve: () => void }[] = []

  constructor(world: World) {
    this.#world = world
    this.#draw = new Draw(world.nextSeed(), 'mailboxes')
  }

  /** The mailer of a process. */
  connect(process: ServiceProcess): Mailer {
    return { send: mail => this.#send(process, mail), close: () => {} }
  }

  /** The mails in the mailbox of this address, oldest first. */
  of(address: string): SentMail[] {
    return this.delivered.filter(({ to }) => isSameAddress(to, address))
  }

  /** Resolves when the next mail is in the mailbox of this address. */
  next(address: string): Promise<void> {
    return new Promise(resolve => this.#waiting.push({ address, resolve }))
  }

  #deliver(mail: SentMail): void {
    mail.accepted = true
    this.delivered.push(mail)
    this.#world.story.tell('mail', `to ${mail.to}: ${mail.subject}`)
    for (const { resolve } of this.#waiting.filter(({ address }) => isSameAddress(address, mail.to))) resolve()
    this.#waiting = this.#waiting.filter(({ address }) => !isSameAddress(address, mail.to))
  }

  async #send(process: ServiceProcess, { to, subject, text }: OutgoingMail): Promise<void> {
    const { scheduler } = this.#world
    const mail: SentMail = {
      process,
      to,
      subject,
      text,
      sentMs: scheduler.nowMs,
      accepted: false,
      acknowledgedClockMs: null,
    }
    await scheduler.pause()
    this.onSend(mail)
    const suspendsMs = this.suspendsNextMs
    this.suspendsNextMs = 0
    const mode = this.mode === 'mixed' ? this.#draw.pick(MAIL_MODES.filter(other => other !== 'mixed')) : this.mode
    const delayMs = delayOf(mode, this.#draw)
    if (delayMs > 0) await new Promise<void>(resolve => void scheduler.startTimer(delayMs, resolve))
    if (mode === 'refuses') throw new Error('550 the mail server refuses the mail')
    if (mode === 'hangs') throw new Error('the mail server does not respond')
    this.#deliver(mail)
    if (suspendsMs > 0) this.#world.suspend(process, suspendsMs)
    if (suspendsMs > 0) await scheduler.yield()
    else await scheduler.pause()
    if (mode === 'loses responses') throw new Error('the connection to the mail server was closed')
    mail.acknowledgedClockMs = process.clock.nowMs()
  }
}

function delayOf(mode: MailMode, draw: Draw): number {
  switch (mode) {
    case 'hangs':
      return TIMEOUT_MS
    case 'slow':
      return draw.pick([3_000, 14_000])
    default:
      return draw.pick([0, 0, 40])
  }
}

/** Mail servers ignore the case of addresses. */
function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

const MAILBOXES = new WeakMap<World, Mailboxes>()

/** The mailboxes of a run: all its parts share them. */
export function mailboxesOf(world: World): Mailboxes {
  const known = MAILBOXES.get(world)
  if (known) return known
  const mailboxes = new Mailboxes(world)
  MAILBOXES.set(world, mailboxes)
  return mailboxes
}
