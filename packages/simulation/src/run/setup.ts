import { Draw } from '../runtime/draw.ts'

/** The fixed properties of a run. Each seed draws its own. */
export interface Setup {
  readonly database: 'sqlite' | 'postgres'
  /** Service processes with all roles, on one database. */
  readonly processes: number
  readonly chainServers: number
  readonly merchants: number
  /** The probability that an await of a port lets other code run. */
  readonly switchRate: number
  /** The probability that a due timer fires when the time advances. */
  readonly punctuality: number
  /** Required confirmations of new accounts. */
  readonly confirmations: number
  /** Length of the chain at the start. */
  readonly height: number
  readonly nu63Height: number
  /** Null: never. */
  readonly nu7Height: number | null
  readonly network: 'test' | 'regtest'
  /** Optional parts of the world that take part. */
  readonly parts: readonly string[]
}

/** The probability that the chain is longer than the recorded part of it. */
const LONG_CHAIN_RATE = 0.01

/** @param optionalParts the names of the parts that a seed may leave out, with their probabilities */
export function drawSetup(
  seed: number,
  optionalParts: readonly (readonly [name: string, probability: number])[],
): Setup {
  const draw = new Draw(seed, 'setup')
  const database = draw.chance(0.6) ? 'sqlite' : 'postgres'
  const height = draw.int(12, 30) + (new Draw(seed, 'chain').chance(LONG_CHAIN_RATE) ? 1_000 : 0)
  const nu63Height = draw.weighted([
    [0, 5],
    [height + draw.int(1, 6), 2],
  ])
  return {
    database,
    processes:
      database === 'sqlite'
        ? draw.weighted([
            [1, 4],
            [2, 1],
          ])
        : draw.weighted([
            [1, 1],
            [2, 3],
            [3, 1],
          ]),
    chainServers: draw.weighted([
      [1, 3],
      [2, 3],
      [3, 1],
    ]),
    merchants: draw.weighted([
      [1, 3],
      [2, 1],
    ]),
    switchRate: draw.pick([0, 0.05, 0.3, 1]),
    punctuality: draw.pick([0.3, 0.6, 1]),
    confirmations: draw.weighted([
      [0, 1],
      [1, 2],
      [3, 4],
      [10, 1],
    ]),
    height,
    nu63Height,
    nu7Height: draw.weighted([
      [null, 3],
      [0, 1],
      [Math.max(nu63Height, height) + draw.int(1, 6), 1],
    ]),
    network: draw.chance(0.85) ? 'test' : 'regtest',
    parts: optionalParts.filter(([, probability]) => draw.chance(probability)).map(([name]) => name),
  }
}
