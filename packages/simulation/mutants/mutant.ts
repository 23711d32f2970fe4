/** A deliberate bug of the kind that loses money. The tests, the simulation or both must find it. */
export interface Change {
  readonly name: string
  /** Path below `packages/server/src`. */
  readonly file: string
  /** The function, method, constant, type or member of one inside which the change is made. */
  readonly in: string
  /** Must occur there exactly once. */
  readonly find: string
  readonly replace: string
  /** A test that must fail. */
  readonly killedBy?: {
    /** Path below `packages/server/test`. */
    readonly file: string
    /** Part of its name. */
    readonly test: string
    readonly needsPostgres?: boolean
  }
  /** Features that the world of a seed must have for its run to reach the mutant. Other seeds are left out. */
  readonly needs?: readonly string[]
  /** The number of seeds, from the base seed on, one of which must fail. */
  readonly withinSeeds?: number
}

export interface Mutant extends Change {
  /** The part of the service. */
  readonly theme: string
}

/** A mutant that a test must kill. */
export type TestedMutant = Mutant & Required<Pick<Mutant, 'killedBy'>>

/** A mutant that the simulation must find. */
export type SimulatedMutant = Mutant & Required<Pick<Mutant, 'withinSeeds'>>

export function isTested(mutant: Mutant): mutant is TestedMutant {
  return mutant.killedBy !== undefined
}

export function isSimulated(mutant: Mutant): mutant is SimulatedMutant {
  return mutant.withinSeeds !== undefined
}

/** The mutants with all of these parts in their theme and name. */
export function selectMutants(mutants: readonly Mutant[], parts: readonly string[]): Mutant[] {
  return mutants.filter(({ name, theme }) => parts.every(part => `${theme}: ${name}`.includes(part)))
}
