import type { Draw } from '../../../src/runtime/draw.ts'

/** A statement of a random program. */
export interface Command {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Draws statements in the forms that the service uses, on few rows, so that they conflict often. */
function drawCommand(draw: Draw, nextId: () => bigint): Command {
  const id = () => BigInt(draw.int(1, 5))
  const value = () => BigInt(draw.int(0, 12))
  const name = (least: number, most: number) => `item ${draw.int(least, most)}`
  const insert = 'insert into "items" ("id", "name", "value") values'
  const commands: readonly (readonly [sql: string, values: () => readonly unknown[]])[] = [
    ['update "items" set "value" = "value" + 1 where "id" = $1 returning "id", "value"', () => [id()]],
    [
      'update "items" set "value" = "value" + 3 where "id" = $1 and "value" < $2 returning "id", "value"',
      () => [id(), value()],
    ],
    [
      'update "items" set "value" = "value" + 5 where "id" = (select min("id") from "items" where "value" < $1) returning "id"',
      () => [value()],
    ],
    [
      'update "items" set "value" = (select coalesce(max("parts"."value"), 0) from "parts" where "parts"."item_id" = "items"."id") where "id" = $1 returning "value"',
      () => [id()],
    ],
    [
      'update "items" set "value" = "v"."column2" from (values (cast($1 as bigint), cast($2 as bigint))) as "v" where "items"."id" = "v"."column1"',
      () => [id(), value()],
    ],
    ['update "items" set "name" = $1 where "id" = $2', () => [name(1, 7), id()]],
    ['select * from "items" where "id" in ($1, $2) order by "id" for update', () => [id(), id()]],
    ['select * from "items" where "value" >= $1 order by "id" for update', () => [value()]],
    ['select * from "items" where "id" = $1 for no key update', () => [id()]],
    [
      'select "id" from "items" where "value" >= $1 order by "id" limit $2 for update skip locked',
      () => [value(), BigInt(draw.int(1, 3))],
    ],
    [`${insert} ($1, $2, $3) returning "name"`, () => [nextId(), name(1, 8), value()]],
    [`${insert} ($1, $2, $3) returning "name"`, () => [id(), `item ${nextId()}`, value()]],
    [`${insert} ($1, $2, $3) on conflict ("name") do nothing returning "name"`, () => [nextId(), name(1, 7), value()]],
    [
      `${insert} ($1, $2, $3), ($4, $5, $6) on conflict ("name") do update set "value" = "items"."value" + "excluded"."value" where "items"."value" < $7 returning "name", "value"`,
      () => [nextId(), name(1, 3), value(), nextId(), name(4, 7), value(), value()],
    ],
    ['delete from "items" where "id" = $1', () => [id()]],
    [
      'delete from "parts" where "id" in (select "id" from "parts" where "value" < $1 order by "id" limit 2)',
      () => [value()],
    ],
    ['insert into "parts" ("item_id", "value") values ($1, $2)', () => [id(), value()]],
    ['select * from "items" order by "id"', () => []],
    ['select "item_id", "value" from "parts" order by "item_id", "value"', () => []],
    ['SAVEPOINT use_case', () => []],
    ['RELEASE use_case', () => []],
    ['ROLLBACK TO use_case', () => []],
  ]
  const [sql, values] = draw.pick(commands)
  return { sql, values: values() }
}

/** The state of a client's transaction, which decides the statements that it may send next. */
export class ClientState {
  #open = false
  #savepoint = false
  #failed = false

  get isOpen(): boolean {
    return this.#open
  }

  /** Records the result of a command. */
  record({ sql }: Command, failed: boolean): void {
    if (failed) this.#failed = true
    else if (sql.startsWith('ROLLBACK TO')) this.#failed = false
    else if (sql === 'BEGIN' || sql === 'COMMIT' || sql === 'ROLLBACK') {
      this.#open = sql === 'BEGIN'
      this.#savepoint = false
      this.#failed = false
    } else if (sql.startsWith('SAVEPOINT')) this.#savepoint = true
    else if (sql.startsWith('RELEASE')) this.#savepoint = false
  }

  draw(draw: Draw, nextId: () => bigint): Command {
    if (!this.#open) return control('BEGIN')
    if (this.#failed && this.#savepoint && draw.chance(0.7)) return control('ROLLBACK TO use_case')
    if (this.#failed) return control('ROLLBACK')
    if (draw.chance(0.15)) return control(draw.chance(0.3) ? 'ROLLBACK' : 'COMMIT')
    const command = drawCommand(draw, nextId)
    const isSavepoint = command.sql.startsWith('SAVEPOINT')
    const needsSavepoint = /^(?:RELEASE|ROLLBACK TO)/.test(command.sql)
    const isMisplaced = this.#savepoint ? isSavepoint : needsSavepoint
    return isMisplaced ? this.draw(draw, nextId) : command
  }
}

function control(sql: string): Command {
  return { sql, values: [] }
}
