import { after, before, describe } from 'node:test'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '../harness/postgres.ts'
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
  const bin = findPostgres()
  for (const version of versions) {
    describe(`${version} on SQLite`, () => declare(version, 'sqlite', restorer(version, 'sqlite')))
    describe(`${version} on PostgreSQL`, { skip: bin === null && NO_POSTGRES }, () => {
      let server: TestPostgres
      before(async () => {
        server = await startPostgres(bin as string)
      })
      after(() => server?.stop())
      declare(
        version,
        'postgres',
        restorer(version, 'postgres', () => ({ bin: bin as string, server })),
      )
    })
  }
}

function restorer(version: string, engine: Engine, postgres: () => PostgresServer = noServer): Restore {
  return (stack, webhookUrl) => restoreFixture(stack, version, engine, postgres, webhookUrl)
}

function noServer(): never {
  throw new Error('SQLite has no server')
}
