import type { Route } from '../http/json-server.ts'
import type { Mailbox } from '../mail/mailbox.ts'

/** The routes of the mailbox. */
export function mailRoutes(mailbox: Mailbox): Route[] {
  return [{ method: 'GET', path: '/mail', handle: ({ query }) => mailbox.mails(query.get('to') ?? undefined) }]
}
