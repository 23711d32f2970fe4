import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODE_BUDGETS, type SharedBudget, windowOf } from '../../../../src/domain/account/code-budget.ts'
import { AppError } from '../../../../src/domain/error.ts'
import { clientPrefix } from '../../../../src/http/client-prefix.ts'
import { NO_METRICS } from '../../../../src/ports/metrics.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { makeAccount } from '../../../harness/fixtures.ts'
import { recordingLog } from '../../../harness/log.ts'
import { createSignInHarness, type SignInHarness } from '../../../harness/sign-in.ts'

const OWNER = 'owner@example.org'
const STRANGER = '198.51.100.1'

const badCode = (error: unknown) => error instanceof AppError && error.code === 'bad_code'
const tooMany = (error: unknown) => error instanceof AppError && error.code === 'too_many_codes'
const otherThan = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0')

/** Requests codes until the limit refuses one. Returns the number of codes. */
async function requestUntilRefused(request: () => Promise<unknown>): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await request()
    } catch (error) {
      assert.ok(tooMany(error))
      return count
    }
  }
}

/** Leaves `left` of a budget's current window. */
async function leaveOf({ store, clock }: SignInHarness, budget: SharedBudget, left: number): Promise<void> {
  const { startsAt, endsAt } = windowOf(CODE_BUDGETS[budget], clock.secs)
  await store.write(async tx => {
    await tx.signIn.lockBudget(budget, startsAt, endsAt)
    await tx.signIn.setBudgetUsed(budget, CODE_BUDGETS[budget].max - left)
  })
}

/** Signs in from a new browser. Returns its cookie. */
async function signInAnew({ signIn, requestCode }: SignInHarness, email = OWNER): Promise<string> {
  const { browser, code } = await requestCode(email)
  return (await signIn.signIn(browser, code, 'b')).knownBrowser
}

onBothDatabases(engine => {
  test("a stranger's requests for an email do not delay its owner in a browser that signed in before", async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, deliver, codes, clock } = harness
    const cookie = await signInAnew(harness)
    clock.advance(86_400)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER)), 10)
    clock.advance(3_600)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER)), 10)
    await assert.rejects(signIn.requestCode(OWNER, '203.0.113.5'), tooMany, 'an unknown browser of the owner waits')
    await deliver()
    const browser = await signIn.requestCode(OWNER, STRANGER, cookie)
    await deliver()
    assert.ok(await signIn.signIn(browser, codes(OWNER)[0] as string, 'b', cookie))
  })

  test('a known browser has a budget for each account, and all known browsers of an account share another', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, clock } = harness
    const [one, two, three] = [await signInAnew(harness), await signInAnew(harness), await signInAnew(harness)]
    clock.advance(3_600)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER, one)), 10)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER, two)), 10)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER, three)), 0)
    assert.ok(await signIn.requestCode(OWNER, STRANGER), 'unknown browsers are not affected')
  })

  test('a browser is known for the accounts it signed in to, for a year, and under changed or other cookies it is not', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, clock, requestCode } = harness
    const cookie = await signInAnew(harness)
    const second = await requestCode('second@example.org')
    const both = (await signIn.signIn(second.browser, second.code, 'b', cookie)).knownBrowser
    clock.advance(86_400)
    await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER))
    await requestUntilRefused(() => signIn.requestCode('second@example.org', STRANGER))
    for (const known of [cookie, both]) assert.ok(await signIn.requestCode(OWNER, STRANGER, known))
    assert.ok(await signIn.requestCode('second@example.org', STRANGER, both))
    const [id, issuedAt, mac] = cookie.split('-') as [string, string, string]
    const forged = [
      '',
      '.'.repeat(1_000),
      `${'0'.repeat(32)}-${issuedAt}-${mac}`,
      `${id}-${Number(issuedAt) + 1}-${mac}`,
      `${id}-${issuedAt}-${'0'.repeat(64)}`,
      cookie.toUpperCase(),
    ]
    for (const text of forged) await assert.rejects(signIn.requestCode(OWNER, STRANGER, text), tooMany, text)
    await assert.rejects(signIn.requestCode('second@example.org', STRANGER, cookie), tooMany)
    clock.advance(364 * 86_400)
    await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER))
    await assert.rejects(signIn.requestCode(OWNER, STRANGER, cookie), tooMany)
  })

  test('a browser keeps its budget when it signs in again, and remembers at most five accounts', async t => {
    const { signIn, requestCode, clock } = await createSignInHarness(engine, t)
    let cookie = ''
    for (const email of [OWNER, OWNER, 'a@x.org', 'b@x.org', 'c@x.org', 'd@x.org']) {
      const { browser, code } = await requestCode(email)
      cookie = (await signIn.signIn(browser, code, 'b', cookie)).knownBrowser
    }
    assert.equal(cookie.split('.').length, 5)
    clock.advance(3_600)
    assert.equal(await requestUntilRefused(() => signIn.requestCode(OWNER, STRANGER, cookie)), 10)
  })

  test('when the codes for unknown emails are spent, accounts and new browsers of them still get theirs, with equal responses', async t => {
    const spent: string[] = []
    const dropped: [string, number][] = []
    const metrics = {
      ...NO_METRICS,
      signInBudgetSpent: (budget: string) => void spent.push(budget),
      codesDropped: (budget: string, codes: number) => void dropped.push([budget, codes]),
    }
    const log = recordingLog()
    const harness = await createSignInHarness(engine, t, { metrics, log })
    const { signIn, store, deliver, mailbox } = harness
    await makeAccount(store, OWNER)
    await leaveOf(harness, 'unknown', 2)
    for (let i = 0; i < 5; i++) await signIn.requestCode(`junk${i}@example.org`, STRANGER)
    const browser = await signIn.requestCode(OWNER, '203.0.113.5')
    assert.match(browser, /^[0-9a-f]{64}$/)
    await deliver()
    assert.deepEqual(
      mailbox
        .mails()
        .map(mail => mail.to)
        .reverse(),
      [OWNER, 'junk0@example.org', 'junk1@example.org'],
      'the account first',
    )
    assert.deepEqual([spent, dropped], [['unknown'], [['unknown', 3]]])
    assert.equal(
      log.lines.filter(line => JSON.stringify(line).includes('a limit of sign-in codes for all clients is reached'))
        .length,
      1,
    )
    harness.clock.advance(3_600)
    await signIn.requestCode('junk9@example.org', STRANGER)
    await deliver()
    assert.equal(mailbox.mails('junk9@example.org').length, 1)
  })

  test('when the codes for accounts or all requests of unknown browsers are spent, known browsers still sign in', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, deliver, codes } = harness
    const cookie = await signInAnew(harness)
    await leaveOf(harness, 'account', 0)
    await signIn.requestCode(OWNER, STRANGER)
    await deliver()
    assert.equal(codes(OWNER).length, 1, 'the code for an unknown browser is dropped')
    await leaveOf(harness, 'requests', 0)
    await assert.rejects(signIn.requestCode('any@example.org', STRANGER), tooMany)
    const browser = await signIn.requestCode(OWNER, STRANGER, cookie)
    await deliver()
    assert.ok(await signIn.signIn(browser, codes(OWNER)[0] as string, 'b', cookie))
  })

  test('the /64, /56 and /48 of an IPv6 client have limits of 100, 200 and 400 codes an hour', async t => {
    const { signIn } = await createSignInHarness(engine, t)
    let emails = 0
    const from = (address: string) => () => signIn.requestCode(`n${emails++}@example.org`, clientPrefix(address))
    assert.equal(await requestUntilRefused(from('2001:db8:1:0::1')), 100)
    assert.equal(await requestUntilRefused(from('2001:db8:1:1::1')), 100)
    assert.equal(await requestUntilRefused(from('2001:db8:1:2::1')), 0, 'the /56 is spent')
    assert.equal(await requestUntilRefused(from('2001:db8:1:100::1')), 100)
    assert.equal(await requestUntilRefused(from('2001:db8:1:200::1')), 100)
    assert.equal(await requestUntilRefused(from('2001:db8:1:300::1')), 0, 'the /48 is spent')
    assert.ok(await from('2001:db8:2::1')())
  })

  test('200 wrong codes of all emails in a day end the guessing: unknown browsers then need longer codes', async t => {
    const spent: string[] = []
    let wrong = 0
    const metrics = {
      ...NO_METRICS,
      signInBudgetSpent: (b: string) => void spent.push(b),
      wrongCode: () => {
        wrong += 1
      },
    }
    const harness = await createSignInHarness(engine, t, { metrics })
    const { signIn, requestCode, deliver, codes, clock } = harness
    const cookie = await signInAnew(harness)
    await leaveOf(harness, 'wrong_codes', 4)
    const early = await requestCode('early@example.org')
    const guessed = await requestCode('guessed@example.org')
    for (let i = 0; i < 4; i++)
      await assert.rejects(signIn.signIn(guessed.browser, otherThan(guessed.code), 'b'), badCode)
    assert.deepEqual([spent, wrong], [['wrong_codes'], 4])
    await assert.rejects(signIn.signIn(guessed.browser, guessed.code, 'b'), badCode, 'the right code too')
    await assert.rejects(signIn.signIn(early.browser, early.code, 'b'), badCode, 'codes of other emails too')

    const again = await requestCode('early@example.org')
    assert.match(again.code, /^\d{10}$/)
    await assert.rejects(signIn.signIn(again.browser, otherThan(again.code), 'b'), badCode)
    assert.ok(await signIn.signIn(again.browser, again.code, 'b'))

    const known = await signIn.requestCode(OWNER, STRANGER, cookie)
    await deliver()
    const code = codes(OWNER)[0] as string
    assert.match(code, /^\d{6}$/)
    assert.ok(await signIn.signIn(known, code, 'b', cookie))

    clock.advance(86_400)
    assert.match((await requestCode('early@example.org')).code, /^\d{6}$/)
  })

  test('right codes do not count as wrong ones, and concurrent guesses cannot exceed the budget', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, requestCode } = harness
    await leaveOf(harness, 'wrong_codes', 1)
    for (const email of ['a@x.org', 'b@x.org', 'c@x.org']) {
      const { browser, code } = await requestCode(email)
      assert.ok(await signIn.signIn(browser, code, 'b'))
    }
    const requested = [await requestCode('d@x.org'), await requestCode('e@x.org')]
    const guesses = requested.map(({ browser, code }) => signIn.signIn(browser, otherThan(code), 'b'))
    for (const result of await Promise.allSettled(guesses)) assert.equal(result.status, 'rejected')
    for (const { browser, code } of requested) await assert.rejects(signIn.signIn(browser, code, 'b'), badCode)
  })

  test('a confirmation code of a session is not delayed by requests of strangers', async t => {
    const harness = await createSignInHarness(engine, t)
    const { signIn, requestCode, deliver, codes } = harness
    const { browser, code } = await requestCode(OWNER)
    const { account, session } = await signIn.signIn(browser, code, 'b')
    await leaveOf(harness, 'requests', 0)
    await leaveOf(harness, 'wrong_codes', 0)
    await signIn.requestReauth(account, session, STRANGER)
    await deliver()
    await signIn.reauthenticate(session, codes(OWNER)[0] as string)
  })
})
