import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { connect as connectTls } from 'node:tls'
import { createVault } from '../../adapters/crypto/vault.ts'
import { createOutbound } from '../../adapters/http-client/client.ts'
import { krakenRates } from '../../adapters/rates/kraken.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { createLogger } from '../../adapters/system/logger.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { type Config, ConfigFault } from '../../config/settings.ts'
import { describeProblem } from '../../domain/chain-problem.ts'
import { createOrigin } from '../../services/database-identity.ts'
import { createSecrets } from '../../services/encryption-key.ts'
import { type Command, type Context, readArguments } from '../command.ts'
import { withStore } from '../store.ts'
import { checkChain } from './doctor-chain.ts'
import { examined, type Finding, PATIENCE_MS, skipped } from './doctor-finding.ts'

export const doctor: Command = {
  name: 'doctor',
  usage: 'doctor',
  summary: 'checks settings, database, chain source, clock, mail, provider and rates',
  async run(args, context) {
    readArguments(args, [], 0)
    const findings = await examine(context)
    context.out.result(findings, findings.flatMap(describe))
    return findings.some(({ state }) => state === 'wrong') ? 1 : 0
  },
}

async function examine(context: Context): Promise<Finding[]> {
  let config: Config
  try {
    config = context.config()
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    const advice = 'correct it in the environment; README.md lists the settings'
    return error.faults.map(says => ({ check: 'settings', state: 'wrong', says, advice }))
  }
  return [
    {
      check: 'settings',
      state: 'ok',
      says: config.sandbox ? 'no network is set: the sandbox' : `for the ${config.network} network`,
    },
    ...config.warnings.map(checkWarning),
    await checkDatabase(config),
    await checkHeaders(config),
    await checkWatcher(config),
    await checkOrigin(config),
    ...(await checkChain(config)),
    await checkMail(config),
    await checkProvider(config),
    await checkRates(config),
  ]
}

function checkWarning(says: string): Finding {
  return { check: 'settings', state: 'warning', says }
}

async function checkDatabase(config: Config): Promise<Finding> {
  return examined(
    'database',
    'see DATABASE_URL and DATA_DIR; the key must be the one that secrets were sealed under',
    async () => {
      const accounts = await withStore(config, async store => {
        if (config.encryptionKeys.length > 0)
          await createSecrets({ store, vault: createVault(config.encryptionKeys, systemRandom) }).check()
        return store.read(rows => rows.accounts.list())
      })
      const kind = config.databaseUrl.split(':', 1)[0]
      return `${kind} opens, and so do its secrets; ${accounts.length} accounts`
    },
  )
}

/** Whether the recorded blocks are a chain. The watcher repairs one that is not when it starts. */
async function checkHeaders(config: Config): Promise<Finding> {
  const advice = 'restart the process with the role watcher: it reads the blocks from that height on again'
  return examined('recorded chain', advice, async () => {
    const { tip, broken } = await withStore(config, store =>
      store.read(async rows => ({ tip: await rows.chain.tip(), broken: await rows.chain.brokenLink() })),
    )
    if (broken) throw new Error(`block ${broken.height} is not built on the recorded block below it`)
    return tip ? `linked, to height ${tip.height}` : 'no block is recorded yet'
  })
}

/** What a running watcher has found out over time, and a check of some seconds cannot. */
async function checkWatcher(config: Config): Promise<Finding> {
  const advice = 'see LIGHTWALLETD_URL and the log of the process with the role watcher'
  return examined('watcher', advice, async () => {
    const problems = await withStore(config, store => store.read(rows => rows.chain.problems()))
    if (problems.length > 0) throw new Error(problems.map(describeProblem).join('; '))
    return 'reports no problem with the chain source'
  })
}

async function checkOrigin(config: Config): Promise<Finding> {
  const { lateWatchDays } = config
  const log = createLogger('silent')
  try {
    const isCopy = await withStore(config, store =>
      createOrigin({ store, clock: systemClock, random: systemRandom, lateWatchDays, log }).isCopy(),
    )
    const says = isCopy
      ? 'this database is a restored copy, or new to this version: the next start moves the address counters on'
      : 'they belong to this database'
    return { check: 'address counters', state: 'ok', says }
  } catch {
    return skipped('address counters', 'the database does not open')
  }
}

async function checkMail({ mail }: Config): Promise<Finding> {
  if (!mail) return skipped('mail', 'the mailbox of the sandbox')
  return examined('mail', 'see SMTP_URL', async () => {
    const { hostname, port, protocol } = new URL(mail.smtpUrl)
    const tls = protocol === 'smtps:'
    const greeting = await firstLine(hostname, Number(port) || (tls ? 465 : 587), tls)
    if (!greeting.startsWith('220')) throw new Error(`${hostname} does not greet as a mail server does`)
    return `${hostname} greets`
  })
}

function firstLine(host: string, port: number, tls: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls ? connectTls({ host, port, servername: host }) : connect({ host, port })
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`${host}:${port} does not answer`)))
    socket.on('error', reject)
    socket.once('data', data => {
      resolve(data.toString('latin1').slice(0, 200))
      socket.destroy()
    })
    socket.once('end', () => reject(new Error(`${host}:${port} hangs up`)))
  })
}

async function checkRates({ sandbox, billingViewingKey, ratesUrl, withdrawals }: Config): Promise<Finding> {
  if (sandbox) return skipped('rates', 'simulated')
  if (billingViewingKey === null) return skipped('rates', 'BILLING_VIEWING_KEY is not set: nothing is sold or paid out')
  return examined('rates', 'see RATES_URL and WITHDRAWAL_CURRENCIES', async () => {
    const outbound = createOutbound({ allowPrivate: true })
    try {
      const source = krakenRates(ratesUrl, outbound)
      const prices = withdrawals.currencies.map(async currency => `${await source.price(currency)} ${currency}`)
      return `1 ZEC is ${(await Promise.all(prices)).join(', ')}`
    } finally {
      outbound.close()
    }
  })
}

async function checkProvider({ swap }: Config): Promise<Finding> {
  if (!swap) return skipped('swap provider', 'SWAP_API_URL is not set: no swaps')
  return examined('swap provider', 'see SWAP_API_URL and SWAP_API_KEY', async () => {
    const began = performance.now()
    const response = await fetch(`${swap.apiUrl}/v0/tokens`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: 'error',
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`answers ${response.status}`)
    return `answers in ${Math.round(performance.now() - began)} ms`
  })
}

function describe({ check, state, says, advice }: Finding): string[] {
  const mark = { ok: 'ok      ', skipped: 'skipped ', warning: 'WARNING ', wrong: 'WRONG   ' }[state]
  return [`${mark} ${check}: ${says}`, ...(advice === undefined ? [] : [`         → ${advice}`])]
}
