import type { T } from '@start9labs/start-sdk'
import { PATHS, USER } from './environment.ts'
import { sdk } from './sdk.ts'
import { commandEnvironment } from './settings.ts'

export const mounts = sdk.Mounts.of()
  .mountVolume({ volumeId: 'main', subpath: null, mountpoint: PATHS.data, readonly: false })
  .mountVolume({ volumeId: 'secrets', subpath: null, mountpoint: PATHS.secrets, readonly: false })

/** Volumes belong to root when they are new or restored. The service runs as the user of the image. */
const SCRIPT = `chown -R ${USER}:${USER} ${PATHS.data} ${PATHS.secrets} && chmod 700 ${PATHS.data} ${PATHS.secrets}`
export const OWN_FILES: [string, ...string[]] = ['sh', '-c', SCRIPT]

const COMMAND_MS = 120_000

/**
 * Runs a command of zatgate in a container of its own, beside the service.
 * @returns its exit code and what it printed
 */
export async function runCommand(effects: T.Effects, args: readonly string[]) {
  const env = await commandEnvironment(effects)
  return sdk.SubContainer.withTemp(effects, { imageId: 'zatgate' }, mounts, 'command', async container => {
    await container.execFail(OWN_FILES, { user: 'root' })
    const options = { env, cwd: '/app', user: USER }
    const { exitCode, stdout, stderr } = await container.exec(['node', 'bin/main.ts', ...args], options, COMMAND_MS)
    return { exitCode, stdout: stdout.toString().trim(), stderr: stderr.toString().trim() }
  })
}
