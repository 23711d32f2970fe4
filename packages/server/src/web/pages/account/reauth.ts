import { codeField, mailboxHint } from '../../components/code-field.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { exactly, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface ReauthView {
  /** Action and fields of the form that needs a code. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** Path of the page with that form. */
  readonly menuPath: string
  readonly error?: string
  readonly mailboxUrl: string | null
}

/** Asks for a code and submits the original form with it. The form's fields are kept as hidden inputs. */
export function reauthPage(user: PageUser, { action, fields, menuPath, error, mailboxUrl }: ReauthView): Html {
  const hiddenInputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${exactly(value)}">`,
  )
  return dashboardPage({
    ...user,
    menuPath,
    title: plain('confirm_identity'),
    error,
    body: html`<div class="card narrow">
      <p>${say('confirm_identity_text', { email: user.email })}</p>
      <form method="post" action="${action}">${hiddenInputs}${codeField()}<button class="primary">${say('confirm')}</button> <a class="button" href="${menuPath}">${say('cancel')}</a></form>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}
