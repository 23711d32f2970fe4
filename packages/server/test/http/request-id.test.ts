import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { startTestApi } from '../harness/api.ts'
import { createPlainNoteScanner } from '../harness/plain-note-scanner.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const ID = 'gateway-7f3a/1'

/** The ids of responses to requests that claim an id, from a service with these trusted proxies. */
async function idsFor(trustProxy: number | readonly string[] | false, claimed: readonly string[]): Promise<string[]> {
  const api = await startTestApi({ settings: { trustProxy } })
  const ids: string[] = []
  for (const id of claimed) {
    const response = await fetch(`${api.url}/healthz`, { headers: { 'x-request-id': id } })
    await response.arrayBuffer()
    ids.push(response.headers.get('x-request-id') ?? '')
  }
  await api.close()
  return ids
}

test('a trusted proxy names the request, by number or by address; no other client does', async () => {
  assert.deepEqual(await idsFor(1, [ID]), [ID])
  assert.deepEqual(await idsFor(['loopback'], [ID]), [ID])
  assert.deepEqual(await idsFor(['127.0.0.0/8'], [ID]), [ID])
  for (const trust of [false, ['10.0.0.0/8']] as const) {
    const [id] = await idsFor(trust, [ID])
    assert.match(id!, /^[\w-]{16}$/)
  }
})

test('an id that is long or has other characters is replaced, and no id is given twice', async () => {
  const ids = await idsFor(1, ['a'.repeat(65), 'a b', '{}', 'a"b'])
  for (const id of ids) assert.match(id, /^[\w-]{16}$/)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(await idsFor(1, ['a'.repeat(64)]), ['a'.repeat(64)])
})

test('each log line of a request has the id of its response, also after the body was read', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLogger('debug', { destination: { write: line => void lines.push(JSON.parse(line)) } })
  const noteScanner = createPlainNoteScanner()
  // A service logs during the request: the line has the id without any code of the service for it.
  const parseViewingKey: typeof noteScanner.parseViewingKey = key => {
    log.info({}, 'parsing')
    return noteScanner.parseViewingKey(key)
  }
  const api = await startTestApi({ log, noteScanner: { ...noteScanner, parseViewingKey } })
  const { sessionToken } = await api.merchant({ viewingKey: null })
  lines.length = 0
  const response = await fetch(`${api.url}/v1/account/viewing-key`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${sessionToken}` },
    body: JSON.stringify({ viewing_key: testViewingKey() }),
  })
  await response.arrayBuffer()
  await api.close()
  const id = response.headers.get('x-request-id')
  const ids = (message: string) => lines.filter(({ msg }) => msg === message).map(({ requestId }) => requestId)
  assert.deepEqual(new Set(ids('parsing')), new Set([id]))
  assert.deepEqual(ids('request completed'), [id])
})
