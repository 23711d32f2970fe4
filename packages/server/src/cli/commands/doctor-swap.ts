import { performance } from 'node:perf_hooks'
import { createOneClick, type OneClickOptions } from '../../adapters/oneclick/provider.ts'
import { PRODUCTION_SIGNING_KEY } from '../../adapters/oneclick/signature.ts'
import { checkSigningKey } from '../../adapters/oneclick/signing-key.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { exampleAddress } from '../../adapters/zcash/example-address.ts'
import type { Config } from '../../config/settings.ts'
import type { SwapAsset } from '../../ports/swap-provider.ts'
import { CHECK_TIMEOUT_MS, type Finding, rootCauseMessage, runCheck, skipped, wrong } from './doctor-finding.ts'
import { withHttpClient } from './doctor-http.ts'

const SIGNING_KEY = 'swap signing key'

/** Reads the assets, and verifies a signature of the provider. Orders nothing: the quote is a dry one. */
export async function checkSwapProvider({ swap, network }: Config): Promise<Finding[]> {
  if (!swap) return [skipped('swap provider', 'SWAP_API_URL is not set: swaps are off')]
  return withHttpClient(async http => {
    const options = { ...swap, http, clock: systemClock }
    let assets: readonly SwapAsset[] = []
    const provider = await runCheck('swap provider', 'check SWAP_API_URL and SWAP_API_KEY', async () => {
      const startedAt = performance.now()
      assets = await createOneClick(options).assets(AbortSignal.timeout(CHECK_TIMEOUT_MS))
      return `${assets.length} assets in ${Math.round(performance.now() - startedAt)} ms`
    })
    const signingKey =
      provider.state === 'ok'
        ? await checkKey(options, exampleAddress(network), assets)
        : skipped(SIGNING_KEY, 'could not be checked: the swap provider does not respond')
    return [provider, signingKey]
  })
}

async function checkKey(options: OneClickOptions, recipient: string, assets: readonly SwapAsset[]): Promise<Finding> {
  try {
    const check = await checkSigningKey(options, { recipient, assets }, AbortSignal.timeout(CHECK_TIMEOUT_MS))
    switch (check.result) {
      case 'matches':
        return {
          check: SIGNING_KEY,
          state: 'ok',
          says: `the provider signs its quotes with ${nameOf(options.signingKey)}`,
        }
      case 'differs':
        return wrong(
          SIGNING_KEY,
          `the provider does not sign its quotes with ${nameOf(options.signingKey)}: every swap is refused`,
          options.signingKey === null
            ? 'set SWAP_SIGNING_KEY to the key that this provider publishes'
            : `set SWAP_SIGNING_KEY to the key that this provider publishes; 1Click's is ${PRODUCTION_SIGNING_KEY}`,
        )
      case 'clock_differs':
        return wrong(
          SIGNING_KEY,
          `the time of a quote differs from this clock by ${check.bySecs} s: every swap is refused`,
          'correct the clock of this machine (NTP)',
        )
      case 'unchecked':
        return skipped(SIGNING_KEY, `could not be checked: ${check.reason}`)
    }
  } catch (error) {
    return wrong(SIGNING_KEY, `could not be checked: ${rootCauseMessage(error)}`, 'check SWAP_API_URL and SWAP_API_KEY')
  }
}

function nameOf(signingKey: string | null): string {
  return signingKey === null ? '1Click’s production key (SWAP_SIGNING_KEY is not set)' : 'SWAP_SIGNING_KEY'
}
