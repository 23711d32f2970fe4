import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { lightwalletdMissing } from '../../../../sandbox/test/recorded/real-lightwalletd.ts'
import { zebraMissing } from '../../../../sandbox/test/recorded/zebra.ts'
import { leftOut } from '../../../../zcash/test/left-out.ts'
import { recordingMissing } from '../../../../zcash/test/recording.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '../../harness/postgres.ts'
import {
  LightwalletdNetwork,
  type RecordedNetwork,
  type StartNetwork,
  ZebraNetwork,
} from '../../harness/recorded/network.ts'
import { Walk, type WalkOptions } from '../../harness/recorded/walk.ts'

/** Concurrent walks per database. Each has its own service, node and server. */
const CONCURRENCY = 2

const TIMEOUT_MS = 900_000

const bin = findPostgres()

/** Options of a walk other than its server and its database. */
type Options = Omit<WalkOptions, 'network' | 'databaseUrl'>
type StartWalk = (t: TestContext, options?: Options) => Promise<Walk>

onBothDatabases(
  'by the light-wallet server of Zebra',
  leftOut('recorded-chain') || recordingMissing || zebraMissing,
  ZebraNetwork.start,
)
onBothDatabases(
  'by the real lightwalletd',
  recordingMissing || lightwalletdMissing,
  LightwalletdNetwork.start,
  declareNodeFailure,
)

function onBothDatabases(
  server: string,
  skip: string | false,
  network: StartNetwork,
  declareMore: (start: StartWalk) => void = () => {},
): void {
  const starter =
    (freshDatabase: () => Promise<Pick<WalkOptions, 'databaseUrl'>>): StartWalk =>
    async (t, options = {}) => {
      const walk = await Walk.start({ ...options, network, ...(await freshDatabase()) })
      t.after(() => walk.close())
      return walk
    }
  describe(`the service follows the recorded chain ${server}`, { skip, concurrency: 2, timeout: TIMEOUT_MS }, () => {
    describe('on SQLite', { concurrency: CONCURRENCY }, () => {
      const start = starter(async () => ({}))
      declareWalks(start, 0)
      declareServerFailure(start)
      declareMore(start)
    })

    describe('on PostgreSQL', { concurrency: CONCURRENCY, skip: bin === null && NO_POSTGRES }, () => {
      let postgres: TestPostgres
      let newest: Promise<string> = Promise.resolve('')
      before(async () => {
        postgres = await startPostgres(bin as string)
      })
      after(() => postgres?.stop())
      const start = starter(async () => {
        // The server creates one database at a time.
        newest = newest.then(() => postgres.freshDatabase())
        return { databaseUrl: await newest }
      })
      declareWalks(start, 1)
      declareSecondServer(start)
      declareFirstStarts(start)
    })
  })
}

/**
 * On both databases, which share the moments at which it is killed. The walks of the functions below show what a server
 * does, which no database changes: one is enough.
 * @param first moment at which it is killed: 0 or 1
 */
function declareWalks(start: StartWalk, first: number): void {
  test('while it is killed and restarted at every second step', async t => {
    const walk = await start(t, { expiring: true })
    for (const [index, moment] of walk.moments.entries()) {
      await walk.show(moment)
      if (index % 2 === first) {
        await delay(killDelayMs(index))
        await walk.service.kill()
        await walk.service.start()
      }
      await walk.reach(moment)
    }
    await walk.verify({ once: false })
  })

  test('step by step: mempool, blocks, partial payments, coinbase, and branch A before the best chain', async t => {
    const walk = await start(t, { expiring: true })
    for (const moment of walk.moments) await walk.step(moment)
    await walk.verify({ once: true })
  })
}

function declareServerFailure(start: StartWalk): void {
  test('with a server that is killed at every second step, half of the time losing its cache', async t => {
    const walk = await start(t)
    const [server] = walk.networks as readonly [RecordedNetwork]
    for (const [index, moment] of walk.moments.entries()) {
      const killed = index % 2 === 0
      if (killed) await server.kill()
      await walk.show(moment)
      if (killed) await server.restart({ deleteCache: index % 4 === 0 })
      await walk.reach(moment)
    }
    await walk.verify({ once: true })
  })
}

function declareSecondServer(start: StartWalk): void {
  test('with two servers that are on different branches one after the other, and then agree', async t => {
    const walk = await start(t, { servers: 2 })
    const [first, second] = [walk.networks[0]!, walk.networks[1]!]
    await walk.step(walk.at(32))
    // The payment is mined on branch A and still in the mempool on the other branch.
    await first.show(walk.at(34))
    await second.show({ tip: 33, branch: 'main', sent: false })
    await walk.reach(walk.at(34), { held: true })
    await first.kill()
    await second.show(walk.at(35))
    await walk.reach(walk.at(35), { held: true })
    // The first server returns, still on branch A, when the second one stops.
    await first.restart()
    await second.kill()
    await walk.reach(walk.at(34), { held: true })
    await first.show(walk.at(36))
    await second.show(walk.at(36))
    await second.restart({ deleteCache: true })
    await walk.reach(walk.at(36))
    await walk.step(walk.end)
    await walk.verify({ once: true })
  })
}

function declareFirstStarts(start: StartWalk): void {
  for (const [name, from] of [
    ['in the mempool', { tip: 14, branch: 'main', sent: true }],
    ['at one confirmation on branch A', { tip: 33, branch: 'a', sent: false }],
  ] as const) {
    test(`when first started while a payment is ${name}`, async t => {
      // The invoices are created by a process that does not read the chain.
      const walk = await start(t, { from, opening: { ROLES: 'api,delivery' } })
      assert.equal(await walk.service.stop(), 0)
      await walk.service.start()
      await walk.reach(from)
      await walk.step(walk.end)
      await walk.verify({ once: true })
    })
  }
}

function declareNodeFailure(start: StartWalk): void {
  test('with a node that goes down while a payment is pending, so that its server exits', async t => {
    const walk = await start(t, { expiring: true })
    const [network] = walk.networks as readonly [LightwalletdNetwork]
    const { node } = network
    const [inMempool, partPaid, onBranchA] = [walk.at(12), walk.at(27), walk.at(33)]
    await walk.step(inMempool)

    await node.setDown(true)
    await walk.show(partPaid)
    assert.equal(await network.serverExit(), 1)
    await walk.reach(inMempool)
    await node.setDown(false)
    await network.restart()
    await walk.reach(partPaid)

    await walk.step(onBranchA)
    await node.setError('getbestblockhash', 'in warmup')
    await walk.show(walk.at(35))
    assert.equal(await network.serverExit(), 1)
    await node.setError(null)
    await network.restart()
    await walk.reach(walk.at(35))
    await walk.step(walk.end)
    await walk.verify({ once: true })
  })
}

/** Spread over the time in which a moment is detected and recorded; identical in every run. */
function killDelayMs(index: number): number {
  return (index * 467) % 1_300
}
