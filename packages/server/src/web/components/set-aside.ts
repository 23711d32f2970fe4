import type { SetAsideKind } from '../../domain/set-aside.ts'
import type { SetAsideCount } from '../../ports/repository/set-aside.ts'
import { timeElement } from '../format.ts'
import { type Child, html } from '../html.ts'
import { say } from '../text/dashboard.ts'

const LATER = say('set_aside_later')

/** The sentences about rows that are set aside, for the owner of the account. */
const SENTENCES: Readonly<Record<SetAsideKind, (count: number) => Child>> = {
  scan_key: () => html`${say('set_aside_scan_key')} ${LATER}`,
  invoice: count => html`${say('set_aside_invoice', { count })} ${LATER}`,
  webhook: () => say('set_aside_webhook', { link: '/webhook' }),
  endpoint: count => html`${say('set_aside_endpoint', { count })} ${LATER}`,
  delivery: count => html`${say('set_aside_delivery', { count })} ${LATER}`,
  mail: count => html`${say('set_aside_mail', { count })} ${LATER}`,
  plan: () => html`${say('set_aside_plan')} ${LATER}`,
  plan_reminder: () => html`${say('set_aside_plan_reminder')} ${LATER}`,
  swap: count => html`${say('set_aside_swap', { count })} ${LATER}`,
  account_deletion: () => html`${say('set_aside_deletion')} ${LATER}`,
}

export function setAsideWarnings(counts: readonly SetAsideCount[]): Child[] {
  return counts.map(
    ({ kind, rows, firstAt }) =>
      html`${SENTENCES[kind](rows)} ${say('set_aside_since', { time: timeElement(firstAt) })}`,
  )
}
