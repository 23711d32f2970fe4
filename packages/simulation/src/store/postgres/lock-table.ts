/** The lock modes of a row, weakest first. `KEY_SHARE` is taken by foreign keys, `UPDATE` also by deletes. */
export const KEY_SHARE = 1
export const NO_KEY_UPDATE = 2
export const UPDATE = 3
export type LockMode = typeof KEY_SHARE | typeof NO_KEY_UPDATE | typeof UPDATE

/** A transaction, as the lock table knows it. */
export interface LockOwner {
  /** Its locks in the order of acquisition. */
  readonly locks: HeldLock[]
  waiting: Waiting | null
}

export interface HeldLock {
  readonly owner: LockOwner
  readonly resource: Resource
  readonly mode: LockMode
}

/** The object of a lock: a row, a value of a unique index, or an advisory lock. */
export interface Resource {
  readonly name: string
  readonly held: HeldLock[]
  readonly waiters: Waiting[]
}

interface Waiting {
  /** Increases with each wait. */
  readonly number: number
  readonly owner: LockOwner
  readonly resource: Resource
  readonly mode: LockMode
  readonly wake: () => void
}

/** Row locks with the conflicts of PostgreSQL. Waiters are woken in the order in which they began to wait. */
export class LockTable {
  readonly #resources = new Map<string, Resource>()
  #waits = 0

  /** Locks the resource. @returns null, or the resource when another transaction holds a conflicting lock */
  acquire(owner: LockOwner, name: string, mode: LockMode): Resource | null {
    const resource = this.#resources.get(name)
    if (resource === undefined) {
      const created: Resource = { name, held: [], waiters: [] }
      this.#resources.set(name, created)
      this.#hold(owner, created, mode)
      return null
    }
    let isHeld = false
    for (const lock of resource.held) {
      if (lock.owner !== owner) {
        if (conflict(lock.mode, mode)) return resource
      } else if (lock.mode >= mode) {
        isHeld = true
      }
    }
    if (!isHeld) this.#hold(owner, resource, mode)
    return null
  }

  /** The resource when another transaction holds a conflicting lock; else null. */
  conflictOf(owner: LockOwner, name: string, mode: LockMode): Resource | null {
    const resource = this.#resources.get(name)
    if (resource === undefined) return null
    return resource.held.some(lock => lock.owner !== owner && conflict(lock.mode, mode)) ? resource : null
  }

  /**
   * Calls `wake` once no other transaction holds a conflicting lock.
   * @returns false, and does not wait, when this closes a circle of waiting transactions
   */
  wait(owner: LockOwner, resource: Resource, mode: LockMode, wake: () => void): boolean {
    const waiting: Waiting = { number: ++this.#waits, owner, resource, mode, wake }
    if (this.#waitsFor(waiting, owner, new Set())) return false
    owner.waiting = waiting
    resource.waiters.push(waiting)
    return true
  }

  /** Stops waiting, without a call of `wake`. */
  stopWaiting(owner: LockOwner): void {
    const { waiting } = owner
    if (waiting === null) return
    owner.waiting = null
    waiting.resource.waiters.splice(waiting.resource.waiters.indexOf(waiting), 1)
    this.#removeUnused(waiting.resource)
  }

  /** Releases the locks acquired after the first `count`. */
  release(owner: LockOwner, count: number): void {
    const released = new Set<Resource>()
    while (owner.locks.length > count) {
      const lock = owner.locks.pop()!
      const { held } = lock.resource
      held.splice(held.indexOf(lock), 1)
      released.add(lock.resource)
    }
    const free = [...released].flatMap(({ waiters }) => waiters.filter(waiting => blockersOf(waiting).length === 0))
    for (const waiting of free.sort((a, b) => a.number - b.number)) {
      this.stopWaiting(waiting.owner)
      waiting.wake()
    }
    for (const resource of released) this.#removeUnused(resource)
  }

  #hold(owner: LockOwner, resource: Resource, mode: LockMode): void {
    const lock: HeldLock = { owner, resource, mode }
    resource.held.push(lock)
    owner.locks.push(lock)
  }

  #removeUnused(resource: Resource): void {
    if (resource.held.length === 0 && resource.waiters.length === 0) this.#resources.delete(resource.name)
  }

  /** Whether the waiting transaction waits, through others, for `target`. */
  #waitsFor(waiting: Waiting, target: LockOwner, visited: Set<LockOwner>): boolean {
    return blockersOf(waiting).some(blocker => {
      if (blocker === target) return true
      if (visited.has(blocker)) return false
      visited.add(blocker)
      return blocker.waiting !== null && this.#waitsFor(blocker.waiting, target, visited)
    })
  }
}

function blockersOf({ owner, resource, mode }: Waiting): LockOwner[] {
  return resource.held.filter(lock => lock.owner !== owner && conflict(lock.mode, mode)).map(lock => lock.owner)
}

function conflict(a: LockMode, b: LockMode): boolean {
  return a === UPDATE || b === UPDATE || (a === NO_KEY_UPDATE && b === NO_KEY_UPDATE)
}
