import type { Account } from '../../domain/account/account.ts'
import { type StoreProfile, supportHref } from '../../domain/account/store-profile.ts'
import { AppError } from '../../domain/error.ts'
import { formatUnits } from '../../domain/money.ts'
import { PRICE_DECIMALS } from '../../domain/rate.ts'
import { PAYMENT_METHOD, speedPolicyOf } from '../../domain/sale/greenfield-invoice.ts'
import { EXPIRY_SECS } from '../../domain/sale/invoice.ts'
import { isPriceCurrency, rateCurrencyOf, unitsPerZec } from '../../domain/sale/price.ts'
import { DAY_SECS } from '../../domain/time.ts'
import type { Rates } from '../../ports/rate.ts'
import type { StoreProfiles } from '../../services/account/store-profile.ts'
import type { App } from '../app.ts'
import { route } from './dialect.ts'
import { GreenfieldError, MAX_CURRENCY_PAIRS, requirePaymentMethod } from './error.ts'

const STORE = '/api/v1/stores/:storeId'
const VIEW = { permissions: ['btcpay.store.canviewstoresettings'], rate: 'read' } as const
/** BTCPay's own default, for answers alone: a request without a currency is refused when the store has none. */
const SHOWN_CURRENCY = 'USD'

interface Deps {
  readonly storeProfiles: Pick<StoreProfiles, 'ofAccountId'>
  readonly rates: Rates
  readonly lateWatchDays: number
  readonly publicUrl: () => string
}

export function storeRoutes(scope: App, { storeProfiles, rates, lateWatchDays, publicUrl }: Deps): void {
  const shown = async (account: Account) =>
    presentStore(account, await storeProfiles.ofAccountId(account.id), publicUrl(), lateWatchDays)

  route(scope, 'GET', '/api/v1/stores', VIEW, async ({ account }) => [await shown(account)])

  route(scope, 'GET', STORE, VIEW, ({ account }) => shown(account))

  route(scope, 'GET', `${STORE}/payment-methods`, VIEW, async ({ account }) => [presentMethod(account)])

  // Two paths of BTCPay 1, which PrestaShop still asks for.
  route(scope, 'GET', `${STORE}/payment-methods/OnChain`, VIEW, async ({ account }) => [
    { cryptoCode: 'ZEC', enabled: account.viewingKeyId !== null },
  ])
  route(scope, 'GET', `${STORE}/payment-methods/LightningNetwork`, VIEW, async () => [])

  route(scope, 'GET', `${STORE}/payment-methods/:method`, VIEW, async ({ account, params }) => {
    requirePaymentMethod(params.method)
    return presentMethod(account)
  })

  route(scope, 'GET', `${STORE}/rates`, VIEW, async ({ account, query }) => {
    const { currency } = await storeProfiles.ofAccountId(account.id)
    const asked = (query.currencyPair ?? []).flatMap(text => text.split(',')).filter(text => text !== '')
    const pairs = asked.length > 0 ? asked : [`ZEC_${currency ?? SHOWN_CURRENCY}`]
    if (pairs.length > MAX_CURRENCY_PAIRS) throw new GreenfieldError('too-many-currency-pairs')
    return Promise.all(pairs.map(pair => rateOf(rates, pair.toUpperCase())))
  })
}

/** Plugins show "no wallet" for a method that is not enabled: without a viewing key no invoice can be created. */
function presentMethod({ viewingKeyId }: Account) {
  return { paymentMethodId: PAYMENT_METHOD, enabled: viewingKeyId !== null }
}

async function rateOf(rates: Rates, pair: string) {
  const [, base = '', currency = ''] = /^([A-Z]{3,4})_([A-Z]{3,4})$/.exec(pair) ?? []
  const currencyPair = pair.slice(0, 20)
  if (base !== 'ZEC' || !isPriceCurrency(currency))
    return { currencyPair, errors: ['a pair is ZEC_ and a currency code of ISO 4217, BTC, SATS or ZEC'] }
  try {
    const source = rateCurrencyOf({ currency })
    const rate = source === null ? null : await rates.rate(source)
    return { currencyPair, errors: [], rate: formatUnits(unitsPerZec({ currency }, rate), PRICE_DECIMALS) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_unavailable') return { currencyPair, errors: [error.message] }
    throw error
  }
}

function presentStore(account: Account, profile: StoreProfile, publicUrl: string, lateWatchDays: number) {
  const { name, website, logo, accent, currency, expiresInSecs, locale, afterPayment } = profile
  return {
    id: account.publicId,
    name: name ?? 'Store',
    website,
    supportUrl: supportHref(profile),
    logoUrl: logo === null ? null : `${publicUrl}/logo/${logo}.png`,
    cssUrl: null,
    paymentSoundUrl: null,
    brandColor: accent,
    applyBrandColorToBackend: false,
    defaultCurrency: currency ?? SHOWN_CURRENCY,
    additionalTrackedRates: [],
    invoiceExpiration: expiresInSecs ?? EXPIRY_SECS.default,
    refundBOLT11Expiration: 30,
    displayExpirationTimer: expiresInSecs ?? EXPIRY_SECS.default,
    monitoringExpiration: lateWatchDays * DAY_SECS,
    speedPolicy: speedPolicyOf(account.confirmations),
    lightningDescriptionTemplate: '',
    paymentTolerance: account.toleranceBps / 100,
    archived: false,
    anyoneCanCreateInvoice: false,
    receipt: { enabled: true, showQR: null, showPayments: null },
    lightningAmountInSatoshi: false,
    lightningPrivateRouteHints: false,
    onChainWithLnInvoiceFallback: false,
    redirectAutomatically: afterPayment === 'return',
    showRecommendedFee: false,
    recommendedFeeBlockTarget: 1,
    defaultLang: locale ?? 'en',
    htmlTitle: name,
    networkFeeMode: 'Never',
    payJoinEnabled: false,
    autoDetectLanguage: true,
    showPayInWalletButton: true,
    showStoreHeader: true,
    celebratePayment: false,
    playSoundOnPayment: false,
    lazyPaymentMethods: false,
    defaultPaymentMethod: PAYMENT_METHOD,
    paymentMethodCriteria: [],
  }
}
