import { type Action, action } from '../../run/part.ts'
import type { World } from '../../world/world.ts'

/** Invoices require at most this number of confirmations. */
const COMPARED_BLOCKS = 100

const AGREED = "SELECT value FROM counters WHERE name = 'witnessed_height'"
const TIP = 'SELECT coalesce(max(height), 0) AS value FROM headers'

/** Changes of the chain servers in the settings, and the height up to which several of them agree. */
export class Agreement {
  readonly #world: World
  /** After the previous commit; undefined when that is not known. */
  #before: bigint | null | undefined

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => {
      this.#before = undefined
    })
  }

  get actions(): readonly Action[] {
    const world = this.#world
    if (world.servers.length === 1) return []
    function use(number: number): void {
      world.usedServers = number
      world.restartAll()
    }
    return [
      action('change the number of chain servers', 2, draw => {
        const number = draw.int(1, world.servers.length)
        if (number === world.usedServers) return undefined
        use(number)
        return `the operator restarts all processes with ${number} chain servers`
      }),
      action('a second chain server leaves and joins', 2, async draw => {
        use(1)
        await world.runFor(draw.int(2, 20) * 1_000)
        world.mine()
        await world.runFor(draw.int(2, 20) * 1_000)
        use(world.servers.length)
        await world.runFor(5_000)
        return 'the operator removes all chain servers but one, and adds them again'
      }),
    ]
  }

  check(): void {
    const agreed = this.#read(AGREED)
    const before = this.#before
    this.#before = agreed
    if (before !== null || agreed === null) return
    const tip = this.#read(TIP) ?? 0n
    const lowest = tip > COMPARED_BLOCKS ? tip - BigInt(COMPARED_BLOCKS) : 0n
    if (agreed > lowest)
      this.#world.fail('a second server that joins is compared with the last 100 blocks', `${agreed} of ${tip}`)
  }

  /** A process with one server looks only every 15 s whether a standby was written with several. */
  unsettled(): string | null {
    const isRequired = this.#read(AGREED) !== null
    if (isRequired === this.#world.usedServers > 1) return null
    return `agreement is ${isRequired ? '' : 'not '}required, with ${this.#world.usedServers} servers`
  }

  #read(sql: string): bigint | null {
    return this.#world.database.committed<{ value: bigint }>(sql)[0]?.value ?? null
  }
}
