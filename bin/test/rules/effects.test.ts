import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, matches, none, type Source, sourcesIn } from './sources.ts'

/** The files that may do what a rule forbids elsewhere, each with its reason. */
type Allowed = Readonly<Record<string, string>>

/** The code that runs in production: the sources of all packages and the launcher. */
const files = [
  ...sourcesIn('bin/').filter(({ path }) => !path.startsWith('bin/test/')),
  ...sourcesIn('packages/').filter(({ path }) => /^packages\/[\w-]+\/src\//.test(path)),
]

const WALL_CLOCK: Allowed = {
  'bin/launcher/lock.mjs': 'waits for another process',
  'bin/release/main.ts': 'the date of a release',
  'packages/sandbox/src/clock.ts': 'the clock of the sandbox',
  'packages/sdk/src/patience.ts': 'measures how long the service does not respond',
  'packages/sdk/src/webhook.ts': 'compares the timestamp of a webhook with the time of its receiver',
  'packages/server/src/adapters/system/clock.ts': 'the clock of the service',
  'packages/server/src/cli/commands/doctor-swap.ts': 'measures response times',
  'packages/server/src/cli/stop-signal.ts': 'measures the time between two signals',
  'packages/server/src/store/batching/group-commit.ts': 'measures how long a batch holds the thread',
  'packages/server/src/store/sqlite/batches.ts': 'bounds the wait for a lock',
  'packages/simulation/src/cli/stopwatch.ts': 'measures how long runs take, and dates the evidence',
  'packages/simulation/src/runtime/globals.ts': 'replaces the clock during a run',
}

const RANDOMNESS: Allowed = {
  'packages/sandbox/src/chain/parameters.ts': 'the seed of a new simulated chain',
  'packages/sandbox/src/oneclick/quote.ts': 'correlation ids, as the real provider draws them',
  'packages/sandbox/src/oneclick/server.ts': 'correlation ids, as the real provider draws them',
  'packages/sandbox/src/start.ts': 'the encryption key of a new sandbox',
  'packages/sandbox/src/try.ts': 'the encryption key of a service that is tried',
  'packages/sdk/src/calls.ts': 'idempotency keys',
  'packages/sdk/src/jitter.ts': 'jitter of retries and reconnections',
  'packages/server/src/adapters/lightwalletd/retry.ts': 'jitter of retries',
  'packages/server/src/adapters/system/random.ts': 'the random source of the service',
  'packages/server/src/adapters/zcash/sampler.ts': 'which results of the scan kernel are checked',
  'packages/server/src/store/postgres/listener.ts': 'jitter of reconnections',
  'packages/server/src/store/postgres/notifications.ts': 'the id by which a process skips its own notifications',
  'packages/server/src/store/postgres/store.ts': 'jitter of retries',
  'packages/server/src/workers/loop.ts': 'jitter of retries',
  'packages/simulation/src/runtime/globals.ts': 'replaces the random numbers during a run',
  'packages/zcash/src/create-action.ts': 'the dummy values of an action',
}

const ENVIRONMENT: Allowed = {
  'bin/launcher/install.mjs': 'the npm that runs the launcher',
  'bin/launcher/launch.mjs': 'the environment of the service',
  'bin/launcher/processes.mjs': 'the environment of child processes',
  'packages/server/src/config/settings.ts': 'the settings of the service',
  'packages/simulation/src/cli/pool.ts': 'the environment of child processes',
}

const TIMERS: Allowed = {
  'bin/launcher/lock.mjs': 'polls a lock of another process',
  'bin/launcher/processes.mjs': 'bounds the stop of a child, polls for the death of its parent',
  'packages/sandbox/src/clock.ts': 'the clock of the sandbox',
  'packages/sandbox/src/http/response-body.ts': 'sends a response slowly, as an injected fault',
  'packages/sandbox/src/sandbox.ts': 'mines blocks at the interval of SANDBOX_MINE_SECS',
  'packages/sandbox/src/webhook-receiver.ts': 'delays a response, as an injected fault',
  'packages/sdk/src/delay.ts': 'the pause between two attempts',
  'packages/sdk/src/subscribe.ts': 'bounds the silence of a connection',
  'packages/sdk/src/transport.ts': 'bounds a request',
  'packages/server/src/adapters/http-client/exchange.ts': 'bounds a request',
  'packages/server/src/adapters/http-client/resolver.ts': 'bounds the wait for the second family of addresses',
  'packages/server/src/adapters/image/logo-encoder.ts': 'bounds the decoding of an image',
  'packages/server/src/adapters/lightwalletd/server.ts': 'bounds a stream',
  'packages/server/src/adapters/smtp/bounded-socket.ts': 'passes on the silence that a connection may have',
  'packages/server/src/adapters/system/clock.ts': 'the clock of the service',
  'packages/server/src/adapters/zcash/worker-pool.ts': 'bounds a job of a thread',
  'packages/server/src/cli/commands/start.ts': 'bounds the shutdown',
  'packages/server/src/http/server.ts': 'bounds the closing of connections',
  'packages/server/src/http/websocket/connection.ts': 'sends heartbeats, bounds the closing of sockets',
  'packages/server/src/http/websocket/stream.ts': 'polls for changes',
  'packages/server/src/store/postgres/listener.ts': 'the pause between two connections',
  'packages/server/src/store/postgres/store.ts': 'the pause between two attempts at a transaction',
  'packages/server/src/store/postgres/wait.ts': 'the pause between two attempts to open the database',
  'packages/server/src/store/sqlite/batches.ts': 'the pause between two attempts at a lock',
  'packages/server/src/store/transaction/timeout.ts': 'bounds the wait for a transaction',
  'packages/simulation/src/cli/pool.ts': 'bounds a run',
  'packages/simulation/src/runtime/globals.ts': 'replaces the timers during a run',
  'packages/simulation/src/store/postgres/pool.ts': 'bounds the wait for a connection, in simulated time',
}

/** Matches outside the allowed files, and allowed files without a match. */
function outside(allowed: Allowed, pattern: RegExp): string[] {
  const found = files.map(source => ({ path: source.path, lines: matches(source, pattern, source.code) }))
  const unneeded = Object.keys(allowed).filter(path => !found.some(item => item.path === path && item.lines.length > 0))
  return [
    ...found.filter(({ path }) => allowed[path] === undefined).flatMap(({ lines }) => lines),
    ...unneeded.map(path => `${path} no longer needs its exception`),
  ]
}

test('the wall clock is read only where it is allowed', () => {
  none(outside(WALL_CLOCK, /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bprocess\.hrtime\b/g))
})

test('random values are drawn only where it is allowed', () => {
  none(outside(RANDOMNESS, /\bMath\.random\b|\b(?:randomBytes|randomUUID|randomInt|getRandomValues)\(/g))
})

test('the environment is read only where it is allowed', () => {
  none(outside(ENVIRONMENT, /\bprocess\.env\b/g))
})

test('timers are set only where it is allowed', () => {
  none(outside(TIMERS, /(?<![.\w])set(?:Timeout|Interval)\b/g))
})

test('SQL appears only in the store, and in the simulation, whose judge reads the database itself', () => {
  const sql = /\b(?:SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE (?:TABLE|INDEX))\b/g
  const others = files.filter(({ path }) => !/^packages\/(?:server\/src\/store|simulation\/src)\//.test(path))
  none(others.flatMap(source => matches(source, sql, source.uncommented)))
})

/** A delay that names its bound: a constant, a parameter or a field in milliseconds, or an expression of one. */
const BOUNDED_DELAY = /\w(?:Ms|_MS)\b|^ms$|\w(?:Secs|_SECS) \* 1000\b/

/** A call with an array spread into its arguments, of which one call takes some 120,000. */
const SPREAD_ARGUMENTS =
  /(?:\.(?:push|unshift|splice|concat)|\bMath\.(?:min|max)|\bString\.from(?:CharCode|CodePoint))\((?:(?:[^(){}[\]]|\([^()]*\))*,)?\s*\.\.\./g

test('no array is passed as the arguments of a call, except in the simulation, whose environments are small', () => {
  const others = files.filter(({ path }) => !path.startsWith('packages/simulation/'))
  none(others.flatMap(source => matches(source, SPREAD_ARGUMENTS, source.code)))
  const found = ['a.push(...b)', 'Math.max(0, ...c)', 'Math.min(now(d), ...e.map(f))', 'String.fromCharCode(\n  ...g)']
  const allowed = ['a.push({ ...b })', 'a.push([...b])', 'Math.max(0, c)', 'new Set(...d)']
  const isFound = (code: string) => [...code.matchAll(SPREAD_ARGUMENTS)].length > 0
  assert.deepEqual([...found, ...allowed].filter(isFound), found)
})

test('the delay of every timer has a name', () => {
  none(
    files.flatMap(source => timerCalls(source).filter(({ delay }) => !BOUNDED_DELAY.test(delay))).map(({ at }) => at),
  )
})

test('every interval is cleared', () => {
  const endless = (source: Source) =>
    [...source.code.matchAll(/(?:const (\w+) = )?(?<![.\w])setInterval\(/g)]
      .filter(({ 1: name }) => name === undefined || !source.code.includes(`clearInterval(${name})`))
      .map(({ index }) => `${source.path}:${lineOf(source.code, index)} setInterval`)
  none(files.flatMap(endless))
})

/** The calls of setTimeout, setInterval and the timers of `node:timers/promises` with the text of their delay. */
function timerCalls({ path, code, uncommented }: Source): { readonly at: string; readonly delay: string }[] {
  const promised = /setTimeout as (\w+) \} from 'node:timers\/promises'/.exec(uncommented)?.[1]
  const names = promised === undefined ? 'setTimeout|setInterval' : promised
  return [...code.matchAll(new RegExp(`(?<![.\\w])(?:${names})\\(`, 'g'))].map(({ 0: call, index }) => {
    const args = argumentsAt(code, index + call.length)
    const delay = (promised === undefined ? args[1] : args[0]) ?? ''
    return { at: `${path}:${lineOf(code, index)} ${call}…${delay})`, delay }
  })
}

/** The arguments of a call, from the offset after its parenthesis. */
function argumentsAt(code: string, from: number): string[] {
  const args = ['']
  let depth = 0
  for (const char of code.slice(from)) {
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char) && --depth < 0) break
    if (char === ',' && depth === 0) args.push('')
    else args.push(args.pop() + char)
  }
  return args.map(arg => arg.trim())
}
