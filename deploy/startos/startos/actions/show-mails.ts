import { newestMails } from '../mailbox.ts'
import { sdk } from '../sdk.ts'

export const showMails = sdk.Action.withoutInput(
  'show-mails',
  {
    name: 'Show Mails',
    description: 'Shows the newest sign-in codes and notifications that stayed on this server.',
    warning: null,
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  async () => {
    const mails = await newestMails('http://127.0.0.1:8025')
    return {
      version: '1',
      title: 'Newest mails',
      message: mails.length > 0 ? null : 'No mails yet. With a mail server, they are sent and are not here.',
      result: {
        type: 'group',
        value: mails.map(({ to, subject, text, at }) => ({
          type: 'single',
          name: `${subject} (to ${to})`,
          description: at,
          value: text,
          masked: false,
          copyable: true,
          qr: false,
        })),
      },
    }
  },
)
