import { mounts, OWN_FILES } from './container.ts'
import { HEALTH_PORT, USER } from './environment.ts'
import { checkReady } from './health.ts'
import { sdk } from './sdk.ts'
import { serviceEnvironment } from './settings.ts'

export const main = sdk.setupMain(async ({ effects }) => {
  const env = await serviceEnvironment(effects)
  const container = sdk.SubContainer.of(effects, { imageId: 'zatgate' }, mounts, 'zatgate')
  const mailbox = sdk.SubContainer.of(
    effects,
    { imageId: 'mailbox' },
    sdk.Mounts.of().mountVolume({ volumeId: 'mail', subpath: null, mountpoint: '/mail', readonly: false }),
    'mailbox',
  )
  return sdk.Daemons.of(effects)
    .addDaemon('mailbox', {
      subcontainer: mailbox,
      exec: {
        command: sdk.useEntrypoint(),
        env: {
          // Only zatgate and the action that shows the mails reach it.
          MP_SMTP_BIND_ADDR: '127.0.0.1:1025',
          MP_UI_BIND_ADDR: '127.0.0.1:8025',
          MP_DATABASE: '/mail/mailpit.db',
          MP_MAX_MESSAGES: '200',
          MP_DISABLE_VERSION_CHECK: 'true',
        },
      },
      ready: {
        display: null,
        fn: () =>
          sdk.healthCheck.checkPortListening(effects, 1025, {
            successMessage: 'The mailbox is ready',
            errorMessage: 'The mailbox does not respond',
          }),
      },
      requires: [],
    })
    .addOneshot('files', { subcontainer: container, exec: { command: OWN_FILES, user: 'root' }, requires: [] })
    .addDaemon('zatgate', {
      subcontainer: container,
      exec: {
        command: ['node', '--import', '/app/bin/types.mjs', 'bin/main.ts', 'start'],
        cwd: '/app',
        user: USER,
        env,
      },
      ready: {
        display: 'Service and chain',
        gracePeriod: 60_000,
        fn: () => checkReady(`http://127.0.0.1:${HEALTH_PORT}/readyz`),
      },
      requires: ['files', 'mailbox'],
    })
})
