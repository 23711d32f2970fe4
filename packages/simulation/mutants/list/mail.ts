import type { Change } from '../mutant.ts'

export const MAIL: readonly Change[] = [
  {
    name: 'a mail is removed although another invoice was reorged while it was being sent',
    file: 'services/notify/mail.ts',
    in: 'sendAttention',
    find: 'if (changesNow === changes) await',
    replace: 'if (changesNow >= changes) await',
    killedBy: {
      file: 'services/notify/attention-mail.test.ts',
      test: 'an invoice whose payments are removed while the mail is being sent is in the next mail',
    },
    needs: ['mail'],
    withinSeeds: 1_000,
  },
  {
    name: 'a mail about reorged payments is removed when the mail server refuses it once',
    file: 'services/notify/mail.ts',
    in: 'sendAttention',
    find: 'if (!isLastAttempt(mail)) return',
    replace: 'if (mail.attempts < 1) return',
    needs: ['mail'],
    withinSeeds: 3_000,
  },
  {
    name: 'a mail is removed with an earlier one that had its id',
    file: 'store/repository/notify/mail.ts',
    in: 'isSame',
    find: 'and({ id, recipient: to, about, created_at: createdAt })',
    replace: 'and({ id })',
    needs: ['sqlite', 'mail', 'several processes'],
    withinSeeds: 20_000,
  },
  {
    name: 'an account gets a mail for each reorganisation without a minimum interval',
    file: 'domain/notify/attention-mail.ts',
    in: 'attentionMailDueAt',
    find: 'return lastSentAt === null ? due :',
    replace: 'return lastSentAt !== Number.NaN ? due :',
    killedBy: {
      file: 'services/notify/attention-mail.test.ts',
      test: 'an account gets no second mail within the hour',
    },
  },
  {
    name: 'attention mails are sent for invoices of the service itself',
    file: 'services/sale/invoice-state.ts',
    in: 'queueMails',
    find: "after.purpose === 'sale' && after.needsAttention &&",
    replace: 'after.needsAttention &&',
    killedBy: { file: 'services/notify/attention-mail.test.ts', test: 'internal invoices, for plans and withdrawals' },
  },
  {
    name: 'undoing a change of the email forgets no browser',
    file: 'services/account/email-change.ts',
    in: 'undo',
    find: 'await knownBrowsers.forgetOthers(tx, knownBrowser, restored)',
    replace: 'await knownBrowsers.remember(tx, knownBrowser, previousEmail)',
    killedBy: { file: 'services/account/email-undo.test.ts', test: 'the previous address undoes the change once' },
  },
  {
    name: 'the previous address gets no notices after a change of the email',
    file: 'domain/account/email-change.ts',
    in: 'noticeRecipients',
    find: '({ previousEmail }) => previousEmail',
    replace: '() => email',
    killedBy: {
      file: 'services/account/email-undo.test.ts',
      test: 'for seven days the previous address is kept for the account',
    },
  },
  {
    name: 'the end of one session by another is not mailed',
    file: 'domain/notify/email-notification.ts',
    in: 'EMAIL_NOTIFICATIONS',
    find: "session_ended: 'a session was ended',",
    replace: '',
    killedBy: {
      file: 'services/account/sign-in/known-browser.test.ts',
      test: 'the end of one session by another is mailed',
    },
  },
]
