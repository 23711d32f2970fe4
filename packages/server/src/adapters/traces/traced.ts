import type { Mailer } from '../../ports/mailer.ts'
import type { SwapProvider } from '../../ports/swap-provider.ts'
import type { Tracer } from '../../ports/tracer.ts'

/** A mailer whose mails are spans. */
export function tracedMailer(mailer: Mailer, tracer: Tracer): Mailer {
  return {
    send: mail => tracer.run('client', 'mail', {}, () => mailer.send(mail)),
    close: () => mailer.close(),
  }
}

/** A swap provider whose requests are spans. */
export function tracedSwapProvider(provider: SwapProvider, tracer: Tracer): SwapProvider {
  return {
    enabled: provider.enabled,
    assets: signal => tracer.run('client', 'swap assets', {}, () => provider.assets(signal)),
    quote: (request, signal) => tracer.run('client', 'swap quote', {}, () => provider.quote(request, signal)),
    status: (deposit, signal) => tracer.run('client', 'swap poll', {}, () => provider.status(deposit, signal)),
  }
}
