import { endpointFailure, webhookFailure } from '../../domain/notify/email-notification.ts'
import type { Endpoint } from '../../domain/notify/endpoint.ts'
import type { Tx } from '../../ports/store.ts'

/**
 * Queues the mails to owners whose deliveries have failed for good.
 * @param accountIds one entry for each delivery @param errorOf the last error of an account's deliveries @param now Unix seconds
 */
export async function mailFailures(
  tx: Tx,
  accountIds: readonly number[],
  errorOf: (accountId: number) => string,
  now: number,
): Promise<void> {
  const counts = new Map<number, number>()
  for (const id of accountIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  // In one order, so that processes do not wait for each other's mails in a circle.
  for (const [accountId, count] of [...counts].sort(([a], [b]) => a - b)) {
    const account = await tx.accounts.byId(accountId)
    if (account) await tx.mails.enqueue(webhookFailure(account, { count, error: errorOf(accountId) }, now))
  }
}

/** Queues the mail to the owner of an endpoint whose delivery has failed for good, or that is paused. */
export async function mailEndpointFailure(
  tx: Tx,
  { accountId, url }: Pick<Endpoint, 'accountId' | 'url'>,
  { error, isPaused, now }: { readonly error: string; readonly isPaused: boolean; readonly now: number },
): Promise<void> {
  const account = await tx.accounts.byId(accountId)
  if (account) await tx.mails.enqueue(endpointFailure(account, { host: new URL(url).host, error, isPaused }, now))
}
