import { type Action, action, fault, type PartFactory } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { NO_FAILURES } from '../../world/store-failures.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'

/** Time, clocks, crashes and restarts of the processes, and failures of the database. */
export const processPart: PartFactory = {
  name: 'process',
  probability: 1,
  create: world => ({
    actions: [...processActions(world), ...clockActions(world), ...databaseActions(world)],
  }),
}

function processActions(world: World): readonly Action[] {
  const { processes } = world
  return [
    fault('crash and restart', 3, 'a process dies at any moment and is started again', draw => {
      const index = draw.int(0, processes.length - 1)
      const { name } = processes[index]!
      world.restart(index)
      return `${name} crashes and is started again`
    }),
    fault('crash', 1, 'a process dies and stays dead for a while', draw => {
      const process = draw.pick(processes)
      if (!process.alive) return undefined
      process.crash()
      return `${process.name} crashes`
    }),
    action('start what is dead', 2, () => {
      const dead = [...processes.keys()].filter(index => !processes[index]!.alive)
      for (const index of dead) void world.startProcess(index)
      return dead.length > 0 ? 'the dead processes are started' : undefined
    }),
    fault('a process stands still', 1, 'a process stands still for a while, and the others go on', draw => {
      const process = draw.pick(processes)
      if (!process.services) return undefined
      world.suspend(process, draw.pick([5, 20, 70, 200]) * 1000)
      return `${process.name} is suspended`
    }),
    action('orderly restart', 1, draw => {
      const index = draw.int(0, processes.length - 1)
      const process = processes[index]!
      if (!process.services) return undefined
      world.client('orderly restart', async () => {
        // A database that responds too late ends the stop: the operator kills the process.
        await process.stop().catch(error => {
          if (!isExpectedFailure(error)) throw error
          process.crash()
        })
        if (processes[index] === process) await world.startProcess(index)
      })
      return `${process.name} is restarted in order`
    }),
  ]
}

const HOUR_MS = 3_600_000

function clockActions(world: World): readonly Action[] {
  const { processes } = world
  function clock(name: string, description: string, errorMs: (draw: Draw) => number): Action {
    return fault(name, 1, description, draw => {
      const process = draw.pick(processes)
      world.setClockError(process, errorMs(draw))
      return `the clock of ${process.name} is ${process.clock.errorMs / 1000} s ahead`
    })
  }
  return [
    clock('clock drifts', 'a clock is some seconds wrong', draw => draw.int(-5, 5) * 1000),
    clock('clock is minutes wrong', 'a clock is some minutes wrong', draw => draw.int(-20, 20) * 60_000),
    clock('clock is hours wrong', 'a clock is hours wrong', draw => draw.pick([-5, -3, 3, 5, 24, 24 * 7]) * HOUR_MS),
    action('clocks are right', 2, () => {
      for (const process of processes) world.setClockError(process, 0)
      return 'all clocks are right'
    }),
  ]
}

function databaseActions(world: World): readonly Action[] {
  const { storeFailures, database, setup } = world
  function failures(name: string, description: string, set: (draw: Draw) => void): Action {
    return fault(name, 1, description, draw => {
      set(draw)
      return name
    })
  }
  const lateWrites: Action = {
    name: 'writes are late',
    weight: 6,
    fault: 'writes to a table reach the database late, and other transactions overtake them',
    run(draw) {
      const tables = database.committed<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      const { name: table } = draw.pick(tables)
      storeFailures.late = { table, count: draw.int(1, 4), ms: draw.pick([100, 1_000, 4_000]) }
      return `the next writes to ${table} will be late`
    },
  }
  return [
    // SQLite has one writer at a time: nothing overtakes a late write.
    ...(setup.database === 'postgres' ? [lateWrites] : []),
    failures('statements fail', 'statements of the database fail', draw => {
      storeFailures.statement = draw.pick([0.01, 0.1])
    }),
    fault('the next commits fail', 2, 'single commits fail, or their responses are lost', draw => {
      storeFailures.next = draw.pick(['commit', 'unknown'])
      storeFailures.nextIn = draw.int(0, 6)
      return `a commit ${storeFailures.next === 'commit' ? 'will fail' : 'will lose its response'}`
    }),
    failures('commits fail', 'commits fail, and nothing is written', draw => {
      storeFailures.commit = draw.pick([0.05, 0.5])
    }),
    failures('commits are lost', 'commits succeed, and their responses are lost', draw => {
      storeFailures.unknown = draw.pick([0.05, 0.5])
    }),
    action('the database recovers', 3, () => {
      Object.assign(storeFailures, NO_FAILURES)
      return 'the database recovers'
    }),
  ]
}
