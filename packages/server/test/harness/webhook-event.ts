import { WEBHOOK_EVENT_TYPES } from '../../src/domain/notify/event.ts'

/** SQL: the event is one that the account's webhook gets. */
export const IS_WEBHOOK_EVENT = `type IN (${WEBHOOK_EVENT_TYPES.map(type => `'${type}'`).join(', ')})`
