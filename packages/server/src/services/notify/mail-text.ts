import type { CodePurpose } from '../../domain/account/sign-in.ts'
import { formatCount } from '../../domain/count.ts'
import { EMAIL_NOTIFICATIONS, type EmailNotification } from '../../domain/notify/email-notification.ts'
import { showUnprintable } from '../../domain/text.ts'
import { formatUtcMinute } from '../../domain/time.ts'
import type { OutgoingMail } from '../../ports/mailer.ts'
import type { NoticeMail } from '../../ports/repository/notify/mail.ts'

const CODE_NAMES: Readonly<Record<CodePurpose, string>> = {
  sign_in: 'sign-in code',
  confirm: 'confirmation code',
  present_email: 'code for changing your email',
  new_email: 'code for a new email',
}

/** A mail with a code. */
export function codeText(code: string, purpose: CodePurpose): { subject: string; text: string } {
  const codeName = CODE_NAMES[purpose]
  return {
    subject: `Your zatgate ${codeName}`,
    text: [
      `Your zatgate ${codeName} is ${code}`,
      '',
      'It is valid once, for ten minutes, and only in the browser that requested it. zatgate never asks you for it.',
      'If you did not request it, you can ignore this mail.',
    ].join('\n'),
  }
}

/** The mail of a notice. @param publicUrl base URL of the dashboard */
export function noticeMail(mail: NoticeMail, publicUrl: string): OutgoingMail {
  switch (mail.about) {
    case 'plan_ends':
      return planEndsMail(mail, publicUrl)
    case 'limit_near':
    case 'limit_reached':
      return limitMail(mail, publicUrl)
    case 'webhook_failed':
      return webhookFailedMail(mail, publicUrl)
    case 'endpoint_failed':
    case 'endpoint_paused':
      return endpointMail(mail, publicUrl)
    default:
      return notificationMail(mail, publicUrl)
  }
}

function limitMail({ to, about, detail }: NoticeMail, publicUrl: string): OutgoingMail {
  const isReached = about === 'limit_reached'
  return {
    to,
    subject: isReached
      ? 'zatgate: the monthly invoice limit is reached'
      : 'zatgate: 80 % of the monthly invoice limit is used',
    text: [
      `In your zatgate account, ${detail}.`,
      '',
      isReached
        ? 'Until then your shop cannot create invoices: requests are refused with status 402. Invoices that exist can be paid as before.'
        : 'At the limit, requests for further invoices are refused with status 402. Invoices that exist can be paid as before.',
      `The plans are at ${publicUrl}/billing.`,
    ].join('\n'),
  }
}

function webhookFailedMail({ to, unmailed, detail, lastAt }: NoticeMail, publicUrl: string): OutgoingMail {
  const [events, attempts] =
    unmailed === 1 ? ['An event', 'in four attempts'] : [`${formatCount(unmailed)} events`, 'in four attempts each']
  return {
    to,
    subject: 'zatgate: your webhook failed',
    text: [
      `${events} could not be delivered to your webhook ${attempts}. On ${formatUtcMinute(lastAt)} the last one failed: ${showUnprintable(detail ?? 'unknown')}.`,
      '',
      'Invoices and payments are recorded as always, but your server was not notified.',
      `When it responds again, send the failed events again: ${publicUrl}/webhook?show=failed`,
      '',
      'You get this mail at most once a day.',
    ].join('\n'),
  }
}

function endpointMail({ to, about, detail, lastAt }: NoticeMail, publicUrl: string): OutgoingMail {
  const isPaused = about === 'endpoint_paused'
  const at = formatUtcMinute(lastAt)
  const cause = showUnprintable(detail ?? 'unknown')
  return {
    to,
    subject: isPaused ? 'zatgate: an endpoint is paused' : 'zatgate: events could not be delivered to an endpoint',
    text: [
      isPaused
        ? `All attempts at an endpoint have failed for three days. It was paused on ${at}. The last error was ${cause}.`
        : `An event could not be delivered to an endpoint, however often it was tried. The last attempt was on ${at}: ${cause}.`,
      '',
      'Invoices and payments are recorded as always, and their events are kept.',
      isPaused
        ? `When your server responds again, resume the endpoint, and choose whether it gets what it has missed: ${publicUrl}/webhook`
        : `When your server responds again, send it what it has missed: ${publicUrl}/webhook`,
      ...(isPaused ? [] : ['', 'You get this mail at most once a day.']),
    ].join('\n'),
  }
}

function planEndsMail(mail: NoticeMail, publicUrl: string): OutgoingMail {
  return {
    to: mail.to,
    subject: 'Your zatgate plan ends soon',
    text: [
      `Your zatgate plan is ${mail.detail}.`,
      '',
      `To keep it, buy another period at ${publicUrl}/billing. It starts when the current one ends.`,
      'Otherwise your account moves to the Free plan and its monthly invoice limit.',
    ].join('\n'),
  }
}

function notificationMail(mail: NoticeMail, publicUrl: string): OutgoingMail {
  const what = EMAIL_NOTIFICATIONS[mail.about as EmailNotification]
  const detail = mail.detail === null ? '' : `: ${showUnprintable(mail.detail)}`
  const at = formatUtcMinute(mail.lastAt)
  const [thing, action] =
    mail.unmailed === 1
      ? [`On ${at}, ${what} in your zatgate account${detail}.`, 'this']
      : [
          `Since the last mail about it, ${what} ${mail.unmailed} times in your zatgate account. The last time was on ${at}${detail}.`,
          'all of this',
        ]
  return {
    to: mail.to,
    subject: `zatgate: ${what}`,
    text: [
      thing,
      '',
      `If you did not do ${action}, sign in at ${publicUrl}, end all sessions that you do not recognise, and undo the change.`,
    ].join('\n'),
  }
}
