import type { PartFactory } from '../../run/part.ts'
import { Backups } from './backup.ts'
import { EncryptionKeys } from './encryption-keys.ts'
import { exportAction } from './export.ts'
import { Newcomers } from './newcomers.ts'
import { Rescans } from './rescan.ts'
import { Standby } from './standby.ts'

/** The operator's actions: backups and restores, rescans, key rotations and exports. */
export const operatorPart: PartFactory = {
  name: 'operator',
  probability: 0.3,
  create(world) {
    const keys = new EncryptionKeys(world)
    const standby = new Standby(world, keys, new Newcomers(world))
    const backups = new Backups(world, keys, standby)
    const rescans = new Rescans(world)
    return {
      actions: [...backups.actions, ...standby.actions, ...keys.actions, ...rescans.actions, exportAction(world)],
      ports: () => ({ noteScanner: rescans.scanner() }),
      get config() {
        return { encryptionKeys: keys.present }
      },
      async setUp() {
        backups.start()
        standby.start()
      },
      onCommit() {
        backups.onCommit()
        standby.onCommit()
      },
      heal: () => rescans.heal(),
      unsettled: () => rescans.unsettled(),
      atEnd: () => keys.check(keys.present, 'every secret at rest opens with the present keys'),
    }
  },
}
