import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApi } from '../harness/api.ts'
import { recordingLog } from '../harness/log.ts'

test('a request is logged only at level debug, by its route without the id in its path', async () => {
  const log = recordingLog()
  const api = await startTestApi({ log })
  const id = '72823ba5-c29d-4b9f-9c56-5811dfbf13db'
  const response = await fetch(`${api.url}/v1/invoices/${id}`)
  await response.arrayBuffer()
  await api.close()
  const lines = log.lines.filter(({ message }) => message.startsWith('request'))
  assert.deepEqual(
    lines.map(({ level, details: { method, route, status } }) => ({ level, method, route, status })),
    [{ level: 'debug', method: 'GET', route: '/v1/invoices/:id', status: 404 }],
  )
})

test('a probe of a service that is not ready yet is no failed request in the log', async () => {
  const log = recordingLog()
  const api = await startTestApi({ log })
  const response = await fetch(`${api.url}/readyz`)
  assert.equal(response.status, 503)
  await response.arrayBuffer()
  await api.close()
  const lines = log.lines.filter(({ message }) => message.startsWith('request'))
  assert.deepEqual(
    lines.map(({ level, details: { route, status } }) => ({ level, route, status })),
    [{ level: 'debug', route: '/readyz', status: 503 }],
  )
})
