import { PARTS } from '../parts/parts.ts'
import { SIMULATION_FAILS } from '../rules.ts'
import { Draw } from '../runtime/draw.ts'
import { useScheduler } from '../runtime/globals.ts'
import type { SimulatedDatabase } from '../store/sqlite.ts'
import { passTime } from '../world/passage.ts'
import { World } from '../world/world.ts'
import { digestOf } from './digest.ts'
import type { Part } from './part.ts'
import { drawPlan, drawSecs, PASS_TIME, type Step } from './plan.ts'
import { drawSetup, type Setup } from './setup.ts'
import { describeError, type Finding } from './story.ts'

/** The simulated databases, opened once and used by one run after the other. */
export type Databases = Readonly<Record<Setup['database'], SimulatedDatabase>>

/** The result of a run. */
export interface RunResult {
  readonly seed: number
  readonly setup: Setup
  readonly steps: readonly Step[]
  /** Null when every rule held. */
  readonly finding: Finding | null
  readonly story: readonly string[]
  /** Names of the actions that had an effect. */
  readonly actions: ReadonlySet<string>
  readonly transitions: ReadonlySet<string>
  readonly tasks: number
  /** A digest of the story and of all that was committed: equal in every replay. */
  readonly digest: string
  readonly simulatedSecs: number
}

/** The run that a seed stands for. */
export interface Plan {
  readonly seed: number
  readonly setup: Setup
  /** Default: the steps that the seed draws. */
  readonly steps?: readonly Step[]
}

export function planOf(seed: number): Plan {
  const optional = PARTS.filter(({ probability }) => probability < 1)
  return {
    seed,
    setup: drawSetup(
      seed,
      optional.map(({ name, probability }) => [name, probability] as const),
    ),
  }
}

/** The features that a world has or lacks. */
export const WORLD_FEATURES: readonly string[] = [
  ...PARTS.filter(({ probability }) => probability < 1).map(({ name }) => name),
  'sqlite',
  'postgres',
  'several processes',
  'regtest',
]

/** Whether a world has all of these features. */
export function hasAll({ parts, database, processes, network }: Setup, features: readonly string[]): boolean {
  const present = [...parts, database, network, processes > 1 ? 'several processes' : '']
  return features.every(feature => present.includes(feature))
}

/** Runs a plan from the start to the end, or to the first finding. */
export async function run(databases: Databases, plan: Plan): Promise<RunResult> {
  const { seed, setup } = plan
  const database = databases[setup.database]
  // A caller may be in a tick, such as that of a message, and no microtask runs before the ticks of the scheduler there.
  await new Promise(resolve => setImmediate(resolve))
  const world = new World(seed, setup, database)
  const startMs = world.scheduler.nowMs
  useScheduler(world.scheduler)
  const rejected = (error: unknown) => world.fail('no promise is rejected without a handler', describeError(error))
  process.on('unhandledRejection', rejected)
  const effective = new Set<string>()
  let steps: readonly Step[] = []
  try {
    database.begin(world.storeHooks())
    const factories = PARTS.filter(({ name, probability }) => probability === 1 || setup.parts.includes(name))
    const parts: Part[] = []
    for (const factory of factories) parts.push(factory.create(world))
    world.parts = parts
    steps =
      plan.steps ??
      drawPlan(
        seed,
        parts.flatMap(({ actions }) => actions),
      )
    await start(world)
    for (const step of steps) {
      if (world.finding) break
      if (await take(world, step)) effective.add(step.action)
    }
    if (!world.finding) await settle(world)
  } catch (error) {
    world.fail(SIMULATION_FAILS, describeError(error))
  } finally {
    for (const running of world.processes) running.crash()
    useScheduler(null)
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', rejected)
  }
  return {
    seed,
    setup,
    steps,
    finding: world.finding,
    story: world.story.lines,
    actions: effective,
    transitions: world.transitions,
    tasks: world.scheduler.resumed,
    digest: digestOf(world),
    simulatedSecs: Math.round((world.scheduler.nowMs - startMs) / 1000),
  }
}

/** Starts the processes and opens the accounts, before any fault. */
async function start(world: World): Promise<void> {
  const starts = Array.from({ length: world.setup.processes }, (_, index) => world.startProcess(index))
  await runUntil(world, Promise.all(starts))
  for (const part of world.parts) if (part.setUp) await runUntil(world, part.setUp())
  await world.scheduler.run()
}

/** Runs tasks until the promise has settled. */
async function runUntil(world: World, promise: Promise<unknown>): Promise<void> {
  let settled = false
  const watched = promise.finally(() => {
    settled = true
  })
  watched.catch(() => {})
  for (let rounds = 0; !settled; rounds++) {
    await world.scheduler.run()
    if (!settled) world.scheduler.advance(100)
    if (rounds > 1_000) throw new Error('the world cannot be set up')
  }
  await watched
}

/** Makes one step of the plan. Returns whether it had an effect. */
async function take(world: World, step: Step): Promise<boolean> {
  const draw = new Draw(step.seed, step.action)
  world.scheduler.draw = new Draw(step.seed, 'order')
  if (step.action === PASS_TIME) {
    const drawn = drawSecs(draw)
    const secs = step.secs ?? drawn
    world.story.tell('', `${secs} s pass`)
    await passTime(world, secs, draw, { stops: secs <= 30 && draw.chance(0.3) ? 4 : 0, mines: draw.chance(0.8) })
    return true
  }
  const action = world.parts.flatMap(({ actions }) => actions).find(({ name }) => name === step.action)
  if (!action) throw new Error(`unknown action ${step.action}`)
  const happened = await action.run(draw)
  if (happened !== undefined) world.story.tell('world', happened)
  world.observe()
  await world.scheduler.run(step.tasks ?? Number.POSITIVE_INFINITY)
  return happened !== undefined
}

/** How long the service may need to report a payment in the mempool: retries after faults wait up to a minute. */
const REPORTED_AFTER_SECS = 90

/** How long the service may need, after all faults have ended, until everything is as it should be. */
const SETTLING: readonly { readonly secs: number; readonly blocks: number }[] = [
  ...Array.from({ length: REPORTED_AFTER_SECS / 5 }, () => ({ secs: 5, blocks: 0 })),
  ...Array.from({ length: 6 }, () => ({ secs: 30, blocks: 1 })),
  ...Array.from({ length: 12 }, () => ({ secs: 120, blocks: 2 })),
  // Less than 20 intervals of 25 s: a tip that is older counts as stalled.
  ...Array.from({ length: 16 }, () => ({ secs: 450, blocks: 12 })),
]

/** A service that runs reads the mempool more often: absences of lists that are further apart do not add up. */
const MAX_STEP_SECS = 25

/** Without a block, the service has to know everything that the mempool shows. */
function checkReported(world: World): void {
  const reason = world.parts.map(part => part.unreported?.() ?? null).find(found => found !== null) ?? null
  if (reason !== null) world.fail('a payment is reported without waiting for a block', reason)
}

/** Ends the faults and lets the service settle. */
async function settle(world: World): Promise<void> {
  world.scheduler.draw = new Draw(world.nextSeed(), 'settling')
  world.story.tell('world', 'all faults end')
  world.heal()
  world.observe()
  await world.scheduler.run()
  for (const index of world.processes.keys()) if (!world.processes[index]!.alive) void world.startProcess(index)
  await world.scheduler.run()
  await settleAll(world)
  const ended = world.finding ? [] : world.parts.flatMap(part => part.healLast?.() ?? [])
  for (const told of ended) world.story.tell('world', told)
  if (ended.length > 0) {
    await world.scheduler.run()
    await settleAll(world)
  }
  if (!world.finding) for (const part of world.parts) await part.atEnd?.()
}

/** Lets the time pass in which everything must settle. */
async function settleAll(world: World): Promise<void> {
  let reason: string | null = null
  for (const [round, { secs, blocks }] of SETTLING.entries()) {
    if (round === REPORTED_AFTER_SECS / 5) checkReported(world)
    for (let i = 0; i < blocks; i++) world.mine()
    for (let left = secs; left > 0; left -= MAX_STEP_SECS) {
      world.scheduler.advance(Math.min(left, MAX_STEP_SECS) * 1000)
      await world.scheduler.run()
    }
    if (world.finding) return
    reason = world.parts.map(part => part.unsettled?.() ?? null).find(found => found !== null) ?? null
    if (reason === null) break
  }
  if (reason === null) return
  const isPoisoned = world.poison.rows.length > 0
  world.fail(
    isPoisoned ? 'a row that cannot be processed delays no other' : 'after the faults everything settles',
    reason,
  )
}
