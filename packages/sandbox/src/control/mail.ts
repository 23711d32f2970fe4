import type { Route } from '../http/json-server.ts'
import type { Mailbox } from '../mail/mailbox.ts'

export function mailRoutes(mailbox: Mailbox): Route[] {
  return [{ method: 'GET', path: '/mail', handle: ({ query }) => mailbox.mails(query.get('to') ?? undefined) }]
}
