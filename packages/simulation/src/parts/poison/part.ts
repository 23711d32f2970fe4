import { createVault } from '@zatgate/server/adapters/crypto/vault'
import type { PartFactory } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { poisonActions } from './actions.ts'
import { PoisonJudge } from './judge.ts'

/** Rows that the service cannot process for a while: secrets that do not open, and rows that cannot be written. */
export const poisonPart: PartFactory = {
  name: 'poison',
  probability: 0.12,
  create(world) {
    const judge = new PoisonJudge(world)
    const draw = new Draw(world.nextSeed(), 'poison')
    let healedMs = 0
    let isRepaired = false
    const random = { bytes: (count: number) => draw.bytes(count), uuid: () => draw.hex(16) }
    return {
      workers: ['set aside by delivery', 'set aside by the watcher'],
      actions: poisonActions(world),
      transitions: TRANSITIONS,
      ports: () => ({ vault: world.poison.guard(createVault(world.encryptionKeys(), random)) }),
      onCommit: () => judge.check(),
      heal() {
        healedMs = world.scheduler.nowMs
      },
      healLast() {
        isRepaired = true
        if (world.poison.rows.length === 0 && judge.unsettled() === null) return null
        world.poison.removeAll()
        // Without a restart, the service tries a row again after up to 6 h.
        world.restartAll()
        return 'the last rows are repaired, and all processes are started again'
      },
      unsettled() {
        if (isRepaired) return judge.unsettled()
        if (world.poison.rows.length === 0) return null
        return world.scheduler.nowMs < healedMs + OUTLASTS_MS ? 'rows are still poisoned' : null
      },
    }
  },
}

/** How long the poisoned rows outlast the other faults: a few blocks. */
const OUTLASTS_MS = 200_000

const TRANSITIONS = ['invoice', 'scan_key'].flatMap(kind => [`row · → ${kind} set aside`, `row ${kind} set aside → ·`])
