import { randomUUID } from 'node:crypto'
import type { Container } from '../src/container.ts'
import { startDeliveryWorker } from '../src/workers/notify/delivery.ts'
import { addEvents, compareBesideHanging, HANGING } from './hanging.ts'

const DELIVERIES = 6_000
const DELIVERIES_PER_HANGING = 50

/** Creates an account with a webhook and this many due deliveries. */
async function addReceiver(container: Container, url: string, due: number): Promise<void> {
  const { accounts, webhooks } = container.services
  const account = await accounts.findOrCreate(`${randomUUID()}@example.org`)
  await webhooks.set(account, url)
  await addEvents(container, account.id, due)
}

await compareBesideHanging({
  what: `webhooks to a fast receiver while ${HANGING} hang`,
  total: DELIVERIES,
  async prepare(container, base, hanging) {
    for (let index = 0; index < hanging; index++) await addReceiver(container, `${base}/hang`, DELIVERIES_PER_HANGING)
    await addReceiver(container, `${base}/fast`, DELIVERIES)
  },
  start: ({ infrastructure, services }, metrics) => startDeliveryWorker({ ...infrastructure, ...services, metrics }),
})
