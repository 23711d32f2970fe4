import { createSmtpMailer } from '../../adapters/smtp/mailer.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { type Config, ConfigError } from '../../config/settings.ts'
import type { Services } from '../../container.ts'
import { describeChainProblem } from '../../domain/chain/chain-problem.ts'
import { watchedSince } from '../../domain/chain/watched-key.ts'
import type { Infrastructure } from '../../infrastructure.ts'
import { nowSecs } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { DatabaseIdentity } from '../../services/database-identity.ts'
import { readMigrationState } from '../../store/missing-migrations.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'
import { withServices } from '../services.ts'
import { missingDatabase } from '../store.ts'
import { checkChain } from './doctor-chain.ts'
import { type Finding, runCheck, skipped } from './doctor-finding.ts'
import { checkBackup, checkPublicUrl } from './doctor-outside.ts'
import { checkRates } from './doctor-rates.ts'
import { checkSetAside } from './doctor-set-aside.ts'
import { checkSettings } from './doctor-settings.ts'
import { checkSwapProvider } from './doctor-swap.ts'

/** @returns 1 when something is wrong */
export async function doctor(context: Context): Promise<number> {
  const findings = await runChecks(context)
  context.out.result(findings, findings.flatMap(describe))
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0
}

async function runChecks(context: Context): Promise<Finding[]> {
  let config: Config
  try {
    config = context.config({ needsMail: true })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'correct the environment variable; docs/settings.md lists all settings'
    return error.problems.map(says => ({ check: 'settings', state: 'wrong', says, advice }))
  }
  return [
    {
      check: 'settings',
      state: 'ok',
      says: config.sandbox ? 'NETWORK is not set: sandbox' : `network ${config.network}`,
    },
    ...config.warnings.map(checkWarning),
    ...checkSettings(config, process.getuid?.() ?? null),
    ...(await checkDatabases(config, context.out)),
    // Without a database the service has never run.
    ...(missingDatabase(config) === null ? await checkPublicUrl(config) : []),
    ...(await checkChain(config)),
    await checkMail(config),
    ...(await checkSwapProvider(config)),
    await checkRates(config),
  ]
}

/** Creates no database: before the first start there is none, and a mistyped path has none. */
async function checkDatabases(config: Config, out: Output): Promise<Finding[]> {
  const missing = missingDatabase(config)
  if (missing !== null) {
    const advice = 'the first start creates it; if the service has run before, check DATA_DIR and DATABASE_URL'
    return [{ check: 'database', state: 'warning', says: `there is no database at ${missing}`, advice }]
  }
  const migrations = await checkMigrations(config)
  if (migrations !== null) return [migrations]
  try {
    const silent: Config = { ...config, logLevel: 'silent' }
    return await withServices({ config: () => silent, out }, checkOpened, {})
  } catch (error) {
    return [await checkDatabase(() => Promise.reject(error))]
  }
}

async function checkOpened(
  { accounts, databaseIdentity, secrets }: Services,
  { config, store }: Infrastructure,
): Promise<Finding[]> {
  const kind = config.databaseUrl.split(':', 1)[0]
  return [
    await checkDatabase(async () => {
      const failed = config.encryptionKeys.length > 0 ? await secrets.check() : 0
      if (failed > 0) throw new Error(`${failed} of the stored secrets do not decrypt`)
      return `${kind} opens and its secrets decrypt; ${(await accounts.list()).length} accounts`
    }),
    await checkBackup(config, nowSecs(systemClock)),
    await checkHeaders(store),
    await checkWatcher(store),
    await checkWatchedKeys(config, store),
    await checkDatabaseIdentity(databaseIdentity),
    ...(await checkSetAside(store)),
  ]
}

/** A finding when the tables are not those of this version: the other checks would migrate them. */
async function checkMigrations({ databaseUrl }: Config): Promise<Finding | null> {
  const check = 'database'
  try {
    const { hasTables, missing } = await readMigrationState(databaseUrl)
    if (missing.length === 0) return null
    if (!hasTables)
      return { check, state: 'warning', says: 'the database is empty', advice: 'the first start creates its tables' }
    const count = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`
    const says = `the database is of an earlier version: ${count} missing`
    return { check, state: 'warning', says, advice: 'back it up; the next start of this version applies them' }
  } catch {
    // The check of the database reports why it does not open.
    return null
  }
}

function checkWarning(says: string): Finding {
  return { check: 'settings', state: 'warning', says }
}

function checkDatabase(run: () => Promise<string>): Promise<Finding> {
  return runCheck(
    'database',
    'check DATABASE_URL and DATA_DIR; ENCRYPTION_KEY must be the key that encrypted the stored secrets',
    run,
  )
}

/** Checks that each recorded block builds on the one below it. The watcher repairs a broken link when it starts. */
async function checkHeaders(store: Store): Promise<Finding> {
  const advice = 'restart the process with the role watcher: it reads the blocks from that height again'
  return runCheck('recorded chain', advice, async () => {
    const { tip, broken } = await store.read(async tx => ({
      tip: await tx.chain.tip(),
      broken: await tx.chain.firstUnlinkedHeader(),
    }))
    if (broken) throw new Error(`block ${broken.height} does not build on the recorded block below it`)
    return tip ? `complete up to height ${tip.height}` : 'no block is recorded yet'
  })
}

/** Reports problems that a running watcher detects over time and a check of a few seconds cannot. */
async function checkWatcher(store: Store): Promise<Finding> {
  const advice = 'check LIGHTWALLETD_URL and the log of the process with the role watcher'
  return runCheck('watcher', advice, async () => {
    const problems = await store.read(tx => tx.chain.problems())
    if (problems.length > 0) throw new Error(problems.map(describeChainProblem).join('; '))
    return 'no problem with the chain source'
  })
}

/** Warns before accounts are refused, when nine tenths of the allowed keys are watched. */
async function checkWatchedKeys({ maxWatchedKeys: max }: Config, store: Store): Promise<Finding> {
  const check = 'watched keys'
  const advice =
    'raise MAX_WATCHED_KEYS, if payments are still detected in time; an account with many keys may be an attack'
  try {
    const since = watchedSince(nowSecs(systemClock))
    const watched = await store.query(tx => tx.viewingKeys.countWatched(since, max))
    const says = `${watched} of at most ${max} viewing keys`
    return watched < 0.9 * max ? { check, state: 'ok', says } : { check, state: 'warning', says, advice }
  } catch {
    return skipped(check, 'the database does not open')
  }
}

async function checkDatabaseIdentity(databaseIdentity: DatabaseIdentity): Promise<Finding> {
  try {
    const says = (await databaseIdentity.isCopy())
      ? 'this database is a restored copy or was created by an older version: the next start advances the address counters'
      : 'consistent with this database'
    return { check: 'address counters', state: 'ok', says }
  } catch {
    return skipped('address counters', 'the database does not open')
  }
}

/** Connects and logs in as the service does for a mail. */
async function checkMail({ mail }: Config): Promise<Finding> {
  if (!mail) return skipped('mail', 'the sandbox has its own mailbox')
  return runCheck('mail', 'check SMTP_URL', async () => {
    const { hostname, username } = new URL(mail.smtpUrl)
    const mailer = createSmtpMailer(mail.smtpUrl, mail.from, mail.requireTls)
    try {
      await mailer.verify()
    } finally {
      mailer.close()
    }
    return `${hostname} responds${username === '' ? '' : ' and accepts the login'}`
  })
}

function describe({ check, state, says, advice }: Finding): string[] {
  const mark = { ok: 'ok      ', skipped: 'skipped ', warning: 'WARNING ', wrong: 'WRONG   ' }[state]
  return [`${mark} ${check}: ${says}`, ...(advice === undefined ? [] : [`         → ${advice}`])]
}
