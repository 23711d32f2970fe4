import type { Action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { mailboxesOf } from '../../world/mailboxes.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'

/** A process stands still this long: the mail that it has sent is due again meanwhile. */
const SUSPENDED_MS = 80_000
const DUE_AGAIN_MS = 70_000

/**
 * A process that was suspended removes a mail when another one has sent and removed it, and SQLite has given its id to
 * the next mail.
 */
export function lateRemoval(world: World): Action {
  const mailboxes = mailboxesOf(world)

  function requestCode(draw: Draw, browser: number): void {
    const email = `late-${browser}@example.org`
    world.client('request a code', () =>
      request(world, draw, ({ signIn }) => signIn.requestCode(email, '192.0.2.9', ''), world.responsive),
    )
  }

  return {
    name: 'a mail is removed late',
    weight: 1.5,
    fault: 'a process stands still while it sends a mail, which another process sends again meanwhile',
    async run(draw) {
      if (world.responsive.length < 2) return undefined
      mailboxes.mode = 'works'
      mailboxes.suspendsNextMs = SUSPENDED_MS
      requestCode(draw, draw.int(1, 3))
      await world.runFor(DUE_AGAIN_MS)
      mailboxes.suspendsNextMs = 0
      if (world.responsive.length === 0) return undefined
      mailboxes.mode = 'refuses'
      requestCode(draw, draw.int(4, 6))
      await world.runFor(SUSPENDED_MS - DUE_AGAIN_MS)
      return 'a process has sent a mail late'
    },
  }
}
