import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

interface Progress {
  /** 0: pay · 1: seen, being confirmed · 2: done */
  readonly reached: 0 | 1 | 2
  readonly confirmed: number
  readonly needed: number
}

/** The way of a payment in three or four steps: pay, seen, confirmed, done. Without confirmations there is no third one. */
export function steps(text: Text, { reached, confirmed, needed }: Progress): Html {
  const counted =
    reached === 1 && html` <span class="nowrap">${text.say('step_confirmed_of', { confirmed, needed })}</span>`
  const waits = needed > 0
  const items: (readonly [label: Child, state: State])[] = [
    [text.say('step_pay'), reached === 0 ? 'now' : 'done'],
    [text.say('step_seen'), reached === 0 ? 'ahead' : 'done'],
    ...(waits ? [[html`${text.say('step_confirmed')}${counted}`, STATES[reached]] as const] : []),
    [text.say('step_done'), reached === 2 ? 'done' : waits || reached === 0 ? 'ahead' : 'now'],
  ]
  return stepList(text, items)
}

/** Steps in their order, each with its state. */
export function stepList(text: Text, items: readonly (readonly [label: Child, state: State])[]): Html {
  return html`<ol class="progress" aria-label="${text.plain('steps')}">${items.map(
    ([label, state]) =>
      html`<li class="${state}"${state === 'now' && html` aria-current="step"`}><span>${label}</span></li>`,
  )}</ol>`
}

type State = 'done' | 'now' | 'ahead'
const STATES = ['ahead', 'now', 'done'] as const
