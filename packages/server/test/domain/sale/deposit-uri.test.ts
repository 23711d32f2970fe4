import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatFixed } from '../../../src/domain/money.ts'
import { type DepositTerms, depositUri } from '../../../src/domain/sale/deposit-uri.ts'

const BITCOIN: DepositTerms = {
  blockchain: 'btc',
  symbol: 'BTC',
  decimals: 8,
  contractAddress: null,
  depositAddress: '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W',
  depositMemo: null,
}
const ETHER: DepositTerms = {
  ...BITCOIN,
  blockchain: 'eth',
  symbol: 'ETH',
  decimals: 18,
  depositAddress: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
}
const SOL: DepositTerms = {
  ...BITCOIN,
  blockchain: 'sol',
  symbol: 'SOL',
  decimals: 9,
  depositAddress: 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN',
}
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

test('the examples of the standards', () => {
  // BIP 21
  assert.equal(depositUri(BITCOIN, 2_030_000_000n), 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3')
  // EIP-681, with the chain id
  assert.equal(
    depositUri(ETHER, 2_014_000_000_000_000_000n),
    'ethereum:0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359@1?value=2014000000000000000',
  )
  assert.equal(
    depositUri(
      {
        ...ETHER,
        symbol: 'UNI',
        contractAddress: '0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7',
        depositAddress: '0x8e23ee67d1332ad560396262c48ffbb01f93d052',
      },
      1n,
    ),
    'ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7@1/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1',
  )
  // Solana Pay
  assert.equal(depositUri(SOL, 1_000_000_000n), 'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=1')
  assert.equal(
    depositUri({ ...SOL, symbol: 'USDC', decimals: 6, contractAddress: USDC }, 10_000n),
    `solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=0.01&spl-token=${USDC}`,
  )
})

test('there is none where it would ask for something else', () => {
  const none: DepositTerms[] = [
    { ...BITCOIN, depositMemo: '7' },
    { ...BITCOIN, blockchain: 'stellar', symbol: 'XLM' },
    // A token of an earlier swap, whose contract is not stored.
    { ...ETHER, symbol: 'USDC', decimals: 6 },
    { ...SOL, symbol: 'USDC', decimals: 6 },
    { ...ETHER, contractAddress: 'not-a-contract' },
    { ...ETHER, depositAddress: '0x12?value=5' },
    { ...BITCOIN, depositAddress: 'a?amount=5&' },
    { ...ETHER, blockchain: 'unknown' },
  ]
  for (const terms of none) assert.equal(depositUri(terms, 1n), null, JSON.stringify(terms))
})

test('each amount is exact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), amount => {
      const query = (terms: DepositTerms) => new URLSearchParams(depositUri(terms, amount)?.split('?')[1])
      assert.equal(query(ETHER).get('value'), amount.toString())
      for (const terms of [BITCOIN, SOL]) {
        const [whole = '', fraction = ''] = (query(terms).get('amount') ?? '').split('.')
        const { decimals } = terms
        assert.equal(`${whole}.${fraction.padEnd(decimals, '0')}`, formatFixed(amount, decimals))
      }
    }),
  )
})
