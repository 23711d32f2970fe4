import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startSandboxService } from '../harness/service.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { Visitor } from './visitor.ts'

const ASCII = 'mara@xn--bcher-kva.example'

const harness = await startSandboxService()
after(() => harness.close())

test('an account that an older version keeps with its domain in Unicode is found by both forms', async () => {
  const { accounts, store } = harness.service
  const old = await accounts.findOrCreate('old@example.org')
  await store.write(tx => tx.accounts.setEmail(old.id, 'old@bücher.example'))
  for (const email of ['old@bücher.example', 'old@xn--bcher-kva.example']) {
    assert.equal((await accounts.findByEmail(email)).id, old.id, email)
    assert.equal((await accounts.findOrCreate(email)).id, old.id, email)
  }
  const visitor = new Visitor(harness)
  await visitor.request('POST /sign-in', { email: 'old@bücher.example' })
  const code = await harness.codeFor('old@xn--bcher-kva.example')
  assert.equal((await visitor.request('POST /sign-in/code', { code })).headers.get('location'), '/overview')
  assert.match((await visitor.request('GET /account')).text, /old@bücher\.example/)
})

describe('in a real browser', { skip: noBrowser(), timeout: 60_000 }, () => {
  const { openPage } = useBrowser()

  test('addresses and codes that are not ASCII sign in to one account', async () => {
    const { accounts } = harness.service
    let mails = 0
    for (const email of ['mara@bücher.example', ASCII, 'ｍａｒａ＠bücher.example', '\u202amara@bücher.example\u202c']) {
      const page = await openPage()
      await page.goto(`${harness.url}/sign-in`)
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Email me a code' }).click()
      const code = await harness.codeFor(ASCII, ++mails)
      const fullWidth = [...code].map(digit => String.fromCodePoint(Number(digit) + 0xff10)).join('')
      await page.getByLabel('Code').fill(mails % 2 === 0 ? fullWidth : `\u200e${code}\u200e`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/overview')
    }
    assert.equal((await accounts.findByEmail(ASCII)).email, ASCII)
  })

  test('an address with a name that is not ASCII is not stopped by the browser', async () => {
    const page = await openPage()
    await page.goto(`${harness.url}/sign-in`)
    await page.getByLabel('Email').fill('用户@例子.测试')
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await page.waitForURL('**/sign-in/code')
  })
})
