import { formatCount } from '../../domain/count.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

export async function resendWebhooks({ email }: { readonly email: string }, context: Context): Promise<void> {
  const { resent, left } = await withServices(context, async ({ accounts, webhooks }) =>
    webhooks.resendFailed(await accounts.findByEmail(email)),
  )
  const events = (count: number) => `${formatCount(count)} failed ${count === 1 ? 'event' : 'events'}`
  context.out.result({ email, resent, left }, [
    resent === 0 ? 'no failed events' : `${events(resent)} queued again; the running service sends them`,
    ...(left > 0 ? [`${events(left)} left: repeat the command once these are delivered`] : []),
  ])
}
