import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ServerUnderTest } from './server-under-test.ts'

const EVENTUALLY_MS = 12_000
const STEP_MS = 100
const ATTEMPTS = 5
/** The suite measures spans of 2 s, some of them with 600 ms to spare. */
const MAX_OVERHEAD_MS = 500

/** Bytes in internal order as people read them. */
export function display(bytes: Uint8Array): string {
  return Buffer.from(bytes.toReversed()).toString('hex')
}

export function internal(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex')).reverse()
}

export async function collect<T>(stream: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of stream) into.push(item)
  return into
}

/** The call ends with this code and message. */
export async function failsWith(work: Promise<unknown>, code: Code, message: RegExp): Promise<void> {
  await assert.rejects(work, error => {
    const { code: actual, rawMessage } = ConnectError.from(error)
    assert.equal(Code[actual], Code[code], rawMessage)
    assert.match(rawMessage, message)
    return true
  })
}

/** Lets the server's time pass until the check holds; the milliseconds that took. */
export async function eventually(
  server: Pick<ServerUnderTest, 'pass'>,
  what: string,
  check: () => Promise<boolean> | boolean,
): Promise<number> {
  for (let passed = 0; passed <= EVENTUALLY_MS; passed += STEP_MS) {
    if (await check()) return passed
    await server.pass(STEP_MS)
  }
  throw new Error(`waited ${EVENTUALLY_MS} ms in vain for ${what}`)
}

/**
 * Repeats work that failed while the machine was too busy for what it measures: nothing holds the real server's clock.
 * The work prepares everything that it needs.
 */
export async function inTime(server: () => ServerUnderTest, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = server().overheadMs
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || server().overheadMs - before < MAX_OVERHEAD_MS) throw error
    }
  }
}

/** Declares tests whose work is repeated as `inTime` says, each time after `prepare`. */
export function timedTests(
  server: () => ServerUnderTest,
  prepare: () => Promise<void>,
): (name: string, work: () => Promise<void>) => void {
  return (name, work) => {
    test(name, () =>
      inTime(server, async () => {
        await prepare()
        await work()
      }),
    )
  }
}
