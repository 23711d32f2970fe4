import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { up as baseline } from './0001_baseline.ts'

export type Migration = readonly [name: string, up: (db: Kysely<unknown>, dialect: Dialect) => Promise<void>]

/** In the order of execution. A published migration is never edited: changes are new entries at the end. */
export const MIGRATIONS: readonly Migration[] = [['0001_baseline', baseline]]

export const NEWEST_MIGRATION = MIGRATIONS.at(-1)![0]
