import type { PartFactory } from '../../run/part.ts'
import { Backups } from './backup.ts'
import { EncryptionKeys } from './encryption-keys.ts'
import { exportAction } from './export.ts'
import { Rescans } from './rescan.ts'

/** What the operator does: backups and restores, rescans, key rotations and exports. */
export const operatorPart: PartFactory = {
  name: 'operator',
  probability: 0.3,
  create(world) {
    const keys = new EncryptionKeys(world)
    const backups = new Backups(world, keys)
    const rescans = new Rescans(world)
    return {
      name: 'operator',
      actions: [...backups.actions, ...keys.actions, ...rescans.actions, exportAction(world)],
      ports: () => ({ noteScanner: rescans.scanner() }),
      get config() {
        return { encryptionKeys: keys.present }
      },
      setUp: async () => backups.start(),
      onCommit: () => backups.onCommit(),
      heal: () => rescans.heal(),
      unsettled: () => rescans.unsettled(),
      atEnd: () => keys.check(keys.present, 'every secret at rest opens with the present keys'),
    }
  },
}
