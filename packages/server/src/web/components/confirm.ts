import { type Child, type Html, html } from '../html.ts'
import { say } from '../text/dashboard.ts'

interface Confirmation {
  /** Such as `Revoke “shop”?`. */
  readonly question: Child
  /** The effect, and that it cannot be undone. */
  readonly consequence: Child
  /** The button that does it. Default: as the one that asks. */
  readonly confirm?: string
  /** Classes of the button that asks. */
  readonly kind?: string
  /** Names the button that asks for screen readers, when its text is not enough. */
  readonly describe?: string
  /** Fields that are sent along. */
  readonly fields?: Child
}

/** A form with one button, which asks before it is sent. A popover needs no script. */
export function confirmedButton(action: string, label: string, confirmation: Confirmation): Html {
  const { question, consequence, confirm = label, kind = 'danger', describe, fields } = confirmation
  const id = `ask${action.replaceAll(/[^\w]+/g, '-')}`
  return html`<button type="button" class="${kind}" popovertarget="${id}"${describe !== undefined && html` aria-label="${describe}"`}>${label}</button>
    <div popover class="card dialog" id="${id}" role="dialog" aria-labelledby="${id}-question">
      <h2 id="${id}-question">${question}</h2>
      <p>${consequence}</p>
      <form method="post" action="${action}">${fields}<div class="buttons"><button class="danger">${confirm}</button><button type="button" popovertarget="${id}" popovertargetaction="hide" autofocus>${say('keep_it')}</button></div></form>
    </div>`
}
