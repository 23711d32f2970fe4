import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { runCommand } from './container.ts'
import { sdk } from './sdk.ts'

const DATABASE = 'zatgate.db'
const COPY = 'backup-copy.db'

const inVolume = (name: string) => sdk.volumes.main.subpath(name)

/**
 * A backup contains the key and a consistent copy of the database, which `zatgate backup` makes while the service runs.
 * The copy is marked as one: after a restore, zatgate advances its address counters, so that no address is shown twice.
 */
export const { createBackup, restoreInit } = sdk.setupBackups(async () =>
  sdk.Backups.ofVolumes('main', 'secrets')
    .setBackupOptions({ exclude: [`/${DATABASE}*`] })
    .setPreBackup(async effects => {
      await rm(inVolume(COPY), { force: true })
      if (!existsSync(inVolume(DATABASE))) return
      const { exitCode, stderr } = await runCommand(effects, ['backup', `/data/${COPY}`])
      if (exitCode !== 0) throw new Error(`the copy of the database failed: ${stderr}`)
    })
    .setPostBackup(() => rm(inVolume(COPY), { force: true }))
    .setPostRestore(async () => {
      if (existsSync(inVolume(COPY))) await rename(inVolume(COPY), inVolume(DATABASE))
    }),
)
