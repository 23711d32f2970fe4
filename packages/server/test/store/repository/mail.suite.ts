import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, freshStore } from '../databases.ts'
import { makeAccount, NOW } from '../fixtures.ts'

const TO = 'shop@example.org'

export function mailSuite(engine: Engine): void {
  test('a mail is due at once, claimed by one, and seen again only at its time until it is removed', async t => {
    const store = await freshStore(engine, t)
    await store.write(async rows => {
      await rows.mails.append({ to: TO, about: 'code', codeId: 7, createdAt: NOW })
      await rows.mails.append({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1 })
    })
    const claim = (now: number, limit = 10) =>
      store.write(rows => rows.mails.claim(now, limit, tries => now + 60 * tries))
    assert.deepEqual(await claim(NOW - 1), [])
    const [code] = await claim(NOW, 1)
    assert.deepEqual({ ...code, id: 0 }, { id: 0, to: TO, about: 'code', codeId: 7, createdAt: NOW, tries: 1 })
    const [notice] = await claim(NOW + 1)
    assert.deepEqual(
      { ...notice, id: 0 },
      { id: 0, to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1, tries: 1 },
    )
    assert.deepEqual(await claim(NOW + 59), [])
    const again = await claim(NOW + 60)
    assert.deepEqual(
      again.map(mail => [mail.id, mail.tries]),
      [[code?.id, 2]],
    )
    await store.write(rows => rows.mails.remove(code?.id as number))
    assert.deepEqual(
      (await claim(NOW + 10_000)).map(mail => mail.id),
      [notice?.id],
    )
  })

  test('at most one mail about invoices that need attention waits for an account', async t => {
    const store = await freshStore(engine, t)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const queue = (accountIds: number[], dueAt: number) =>
      store.write(async rows => {
        const accounts = await rows.attentionMails.countChange(accountIds)
        await rows.mails.appendAttention(
          accounts.map(({ accountId, email }) => {
            return { to: email, about: 'reorged_payments', accountId, createdAt: NOW, dueAt } as const
          }),
        )
        return accounts
      })
    const known = (account: typeof one, lastSentAt: number | null) => {
      return { accountId: account.id, email: account.email, lastSentAt }
    }
    await Promise.all([queue([one.id], NOW + 120), queue([other.id, one.id, one.id], NOW + 120), queue([], NOW)])
    await queue([one.id], NOW + 60)
    const changes = (accountId: number) => store.read(rows => rows.attentionMails.changes(accountId))
    assert.deepEqual([await changes(one.id), await changes(other.id), await changes(9_999)], [3, 1, 0])

    const claim = (now: number) => store.write(rows => rows.mails.claim(now, 10, () => now + 60))
    assert.deepEqual(await claim(NOW + 119), [], 'the first one decides when it is due')
    const mails = await claim(NOW + 120)
    assert.deepEqual(
      mails.map(({ id, ...mail }) => mail).sort((a, b) => Number(a.to > b.to) - Number(a.to < b.to)),
      [one, other]
        .map(({ id, email }) => {
          return { to: email, about: 'reorged_payments', accountId: id, createdAt: NOW, tries: 1 }
        })
        .sort((a, b) => Number(a.to > b.to) - Number(a.to < b.to)),
    )

    const [ofOne, ofOther] = [one, other].map(({ email }) => mails.find(mail => mail.to === email)?.id as number)
    await store.write(async rows => {
      assert.equal(await rows.attentionMails.lockChanges(one.id), 3)
      await rows.attentionMails.setLastSent(one.id, NOW + 121)
      await rows.mails.remove(ofOne as number)
      await rows.mails.postpone(ofOther as number, NOW + 500)
    })
    assert.deepEqual(await claim(NOW + 499), [])
    assert.deepEqual(
      (await claim(NOW + 500)).map(({ id, tries }) => [id, tries]),
      [[ofOther, 1]],
    )
    const accounts = await queue([one.id, other.id], NOW + 4_000)
    assert.deepEqual(
      accounts.toSorted((a, b) => a.accountId - b.accountId),
      [known(one, NOW + 121), known(other, null)],
    )
    assert.equal((await claim(NOW + 4_000)).length, 2)
  })

  test('many who claim at once share the mails among them, none twice', async t => {
    const store = await freshStore(engine, t)
    for (let i = 0; i < 12; i++)
      await store.write(rows => rows.mails.append({ to: TO, about: 'api_key_revoked', detail: null, createdAt: NOW }))
    const claims = Array.from({ length: 6 }, () => store.write(rows => rows.mails.claim(NOW, 3, () => NOW + 60)))
    const claimed = (await Promise.all(claims)).flat().map(mail => mail.id)
    assert.equal(new Set(claimed).size, claimed.length)
    assert.equal(new Set(claimed).size, 12)
  })

  test('a mail wakes the listeners of mails once it is committed, and is lost with its transaction', async t => {
    const store = await freshStore(engine, t)
    let woken = 0
    const leave = store.listen('mails', () => {
      woken += 1
    })
    const mail = { to: TO, about: 'viewing_key_set', detail: null, createdAt: NOW } as const
    await assert.rejects(
      store.write(async rows => {
        await rows.mails.append(mail)
        throw new Error('no')
      }),
    )
    assert.equal(woken, 0)
    assert.deepEqual(await store.write(rows => rows.mails.claim(NOW, 5, () => NOW)), [])
    await store.write(rows => rows.mails.append(mail))
    leave()
    assert.equal((await store.write(rows => rows.mails.claim(NOW, 5, () => NOW))).length, 1)
  })
}
