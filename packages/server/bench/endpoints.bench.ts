import { randomUUID } from 'node:crypto'
import type { Container } from '../src/container.ts'
import { MAX_ENDPOINTS } from '../src/domain/notify/endpoint.ts'
import { startEndpointWorker } from '../src/workers/notify/endpoint.ts'
import { addEvents, compareBesideHanging, HANGING } from './hanging.ts'

const EVENTS = 200
const EVENTS_PER_HANGING = 50

/** Creates an account with ten endpoints, and this many events. */
async function addEndpoints(container: Container, url: string, events: number): Promise<void> {
  const { accounts, endpoints } = container.services
  const account = await accounts.findOrCreate(`${randomUUID()}@example.org`)
  for (let index = 0; index < MAX_ENDPOINTS; index++) await endpoints.create(account, { url })
  await addEvents(container, account.id, events)
}

await compareBesideHanging({
  what: `events to ${MAX_ENDPOINTS} endpoints of one account while ${HANGING} others hang`,
  total: MAX_ENDPOINTS * EVENTS,
  async prepare(container, base, hanging) {
    for (let added = 0; added < hanging; added += MAX_ENDPOINTS)
      await addEndpoints(container, `${base}/hang`, EVENTS_PER_HANGING)
    await addEndpoints(container, `${base}/fast`, EVENTS)
  },
  start: ({ infrastructure, services }, metrics) => startEndpointWorker({ ...infrastructure, ...services, metrics }),
})
