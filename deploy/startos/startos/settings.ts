import { FileHelper, type T, z } from '@start9labs/start-sdk'
import { type Choices, DEFAULT_CHAIN_SERVERS, environmentOf, type MailServer } from './environment.ts'
import { sdk } from './sdk.ts'

const shape = z.object({
  network: z.enum(['main', 'test']).catch('main'),
  chainServers: z.string().catch(DEFAULT_CHAIN_SERVERS),
  publicUrl: z.string().catch(''),
  smtp: sdk.inputSpecConstants.smtpInputSpec.validator.catch({ selection: 'disabled', value: {} }),
})

/** The owner's choices in the actions. They lie beside the secrets, since they may contain the password of a mail server. */
export const settingsFile = FileHelper.json({ base: sdk.volumes.secrets, subpath: 'settings.json' }, shape)

type Settings = z.infer<typeof shape>

const MISSING = 'the settings are missing: restore a backup, or install zatgate again'

/** The environment of the service, which restarts when it changes. @throws before the installation wrote the settings */
export async function serviceEnvironment(effects: T.Effects): Promise<Record<string, string>> {
  const settings = await settingsFile.read().const(effects)
  if (settings === null) throw new Error(MISSING)
  const isSystem = settings.smtp.selection === 'system'
  return environmentOf(choicesOf(settings, isSystem ? await sdk.getSystemSmtp(effects).const() : null))
}

/** The environment of a command beside the service. @throws before the installation wrote the settings */
export async function commandEnvironment(effects: T.Effects): Promise<Record<string, string>> {
  const settings = await settingsFile.read().once()
  if (settings === null) throw new Error(MISSING)
  return environmentOf(choicesOf(settings, await sdk.getSystemSmtp(effects).once()))
}

function choicesOf({ smtp, ...choices }: Settings, system: T.SmtpValue | null): Choices {
  return { ...choices, mail: mailServer(smtp, system) }
}

/** Null while no mail server is chosen, or StartOS has none: mails stay on this server. */
function mailServer(smtp: Settings['smtp'], system: T.SmtpValue | null): MailServer | null {
  if (smtp.selection === 'disabled') return null
  if (smtp.selection === 'system') return system && { ...system, from: smtp.value.customFrom ?? system.from }
  const { security, ...server } = smtp.value.provider.value
  return { ...server, security: security.selection, port: Number(security.value.port) }
}
