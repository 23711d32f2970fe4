import { sdk } from '../sdk.ts'
import { settingsFile } from '../settings.ts'

export const manageMail = sdk.Action.withInput(
  'manage-mail',
  {
    name: 'Configure SMTP',
    description:
      'Sends codes and notifications through a mail server. While disabled, the action “Show Mails” shows them.',
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  sdk.InputSpec.of({ smtp: sdk.inputSpecConstants.smtpInputSpec }),
  async () => ({ smtp: (await settingsFile.read(({ smtp }) => smtp).once()) ?? undefined }),
  async ({ effects, input }) => {
    await settingsFile.merge(effects, { smtp: input.smtp })
  },
)
