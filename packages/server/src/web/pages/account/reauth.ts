import { codeField, mailboxHint } from '../../components/code-field.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { exactly, type Html, html } from '../../html.ts'

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
    title: 'Confirm your identity',
    error,
    body: html`<div class="card narrow">
      <p>This change requires a new code. We have emailed one to <b>${user.email}</b>. It is valid for ten minutes.</p>
      <form method="post" action="${action}">${hiddenInputs}${codeField()}<button class="primary">Confirm</button> <a class="button" href="${menuPath}">Cancel</a></form>
      ${mailboxHint(mailboxUrl)}
    </div>`,
  })
}
