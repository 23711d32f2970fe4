import { countdown, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

/** The time that is left to pay. A script shows the bar and counts down; without it the end of the time stands alone. */
export function timeBar(text: Text, from: number, until: number, now: number): Html {
  return html`<div class="time"><progress max="${Math.max(1, until - from)}" aria-hidden="true" hidden></progress>
    <p><span>${text.say('pay_by', { time: timeElement(until) })}</span> <b class="left" role="timer">${text.say('time_left', { time: countdown(until, now) })}</b></p></div>`
}
