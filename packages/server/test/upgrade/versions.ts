import { describe } from 'node:test'
import { describePostgres } from '../harness/databases.ts'
import { findPostgres } from '../harness/postgres.ts'
import { type Engine, recordedVersions } from './fixture.ts'
import { type PostgresServer, type Restored, restoreFixture } from './restore.ts'

/** Restores the fixture of one version on one engine. @param webhookUrl see {@link restoreFixture} */
export type Restore = (stack: AsyncDisposableStack, webhookUrl?: string) => Promise<Restored>

type Declare = (version: string, engine: Engine, restore: Restore) => void

/** Declares the tests once for each recorded version and engine. PostgreSQL is skipped when it is not installed. */
export function onEveryVersion(declare: Declare): void {
  onVersions(recordedVersions(), declare)
}

/** As {@link onEveryVersion}, for some versions. */
export function onVersions(versions: readonly string[], declare: Declare): void {
  for (const version of versions) {
    describe(`${version} on SQLite`, () => declare(version, 'sqlite', restorer(version, 'sqlite')))
    describePostgres(`${version} on PostgreSQL`, server =>
      declare(
        version,
        'postgres',
        restorer(version, 'postgres', () => ({ bin: findPostgres() as string, server: server() })),
      ),
    )
  }
}

function restorer(version: string, engine: Engine, postgres: () => PostgresServer = noServer): Restore {
  return (stack, webhookUrl) => restoreFixture(stack, version, engine, postgres, webhookUrl)
}

function noServer(): never {
  throw new Error('SQLite has no server')
}
