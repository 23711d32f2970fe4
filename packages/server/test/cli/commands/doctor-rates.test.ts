import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rates as Tickers } from '@zatgate/sandbox/rates'
import { checkRates } from '../../../src/cli/commands/doctor-rates.ts'
import { loadConfig } from '../../../src/config/settings.ts'
import { testEnv } from '../../harness/container.ts'

test('the check says what each source says, and which rate comes of it', async t => {
  const tickers = await Tickers.start()
  t.after(() => tickers.close())
  const env = { ...testEnv, RATES_SOURCES: tickers.setting, WITHDRAWAL_CURRENCIES: 'USD,PLN' }
  const config = { ...loadConfig(env), billingViewingKey: 'uview-operator' }
  tickers.setPrice('ZECUSD', '1420', 'gemini')
  tickers.faultsOf.kraken.response = 'error'
  assert.deepEqual(await checkRates(config), {
    check: 'rates',
    state: 'ok',
    says:
      '1 ZEC = 1419.06 USD (kraken: the rate source reports: EService:Unavailable, coinbase 1419.06, gemini 1420, ' +
      'coingecko 1419.06); 1 ZEC = 5173.18323 PLN (coingecko: the rate source has no price of ZEC in PLN, ' +
      'USD converted by coinbase at 3.6455)',
  })
  Object.assign(tickers.faultsOf.coinbase, { down: true })
  Object.assign(tickers.faultsOf.gemini, { response: 'thousandfold' })
  const { state, says } = await checkRates(config)
  assert.equal(state, 'wrong')
  assert.match(says, /^no rate in USD \(.*gemini 1420000.*; no rate in PLN/)
})
