import assert from 'node:assert/strict'
import type { Json } from '../harness/greenfield.ts'

/** Members written by a shop: they are compared as a whole elsewhere. */
const OPAQUE = new Set(['metadata', 'additionalData', 'nodeInformation'])

/** Members of invoices and stores in the recordings that BTCPay's document does not have and no client reads. */
const UNREAD = /^(?:\[\])?\.(?:paymentMethods|userRole)$/

/** Whether it was asked for depends on the invoice. */
const NULLABLE = /^(?:\[\])?\.checkout\.(?:redirectURL|defaultLanguage)$/

/**
 * Asserts that an answer has every member of a recorded one, of the same JSON type: what a client reads is there. Null stands
 * for any type in the recording. Every item of a list is compared with the first recorded one.
 *
 * @param nullable paths of members that may be null here, although they were not in the recording
 */
export function hasShapeOf(recorded: Json, given: Json, nullable: readonly string[] = [], path = ''): void {
  if (recorded === null) {
    assert.notEqual(given, undefined, `${path} is absent`)
    return
  }
  if (given === undefined && UNREAD.test(path)) return
  if (given === null && (NULLABLE.test(path) || nullable.includes(path))) return
  assert.equal(typeOf(given), typeOf(recorded), `${path || '/'} is ${JSON.stringify(given)}`)
  if (Array.isArray(recorded)) {
    if (recorded.length === 0) return
    // Items of a list differ in what their own lists have.
    if (!path.includes('[]')) assert.ok(given.length > 0, `${path} is empty`)
    for (const item of given) hasShapeOf(recorded[0], item, nullable, `${path}[]`)
  } else if (typeof recorded === 'object') {
    for (const [name, member] of Object.entries(recorded))
      if (OPAQUE.has(name)) assert.equal(typeOf(given[name]), typeOf(member), `${path}.${name}`)
      else hasShapeOf(member, given[name], nullable, `${path}.${name}`)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
