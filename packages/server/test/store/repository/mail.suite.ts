import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MailRow } from '../../../src/ports/repository/mail.ts'
import { type DatabaseEngine, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount, NOW } from '../../harness/fixtures.ts'

const TO = 'shop@example.org'

export function mailSuite(engine: DatabaseEngine): void {
  test('a mail that was removed by another process is not confused with a later one of the same id', async t => {
    const store = await openEmptyStore(engine, t)
    const claim = (now: number) => store.write(tx => tx.mails.claimDue(now, 10, () => now + 60))
    await store.write(tx => tx.mails.enqueue({ to: TO, about: 'code', codeId: 7, createdAt: NOW }))
    const [first] = (await claim(NOW)) as [MailRow]
    await store.write(tx => tx.mails.remove(first))
    await store.write(tx => tx.mails.enqueue({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1 }))
    await store.write(async tx => {
      await tx.mails.postpone(first, NOW + 10_000)
      await tx.mails.remove(first)
    })
    assert.equal((await claim(NOW + 1)).length, 1)
  })

  test('a mail is due at once, and a claimed mail is due again at its retry time until it is removed', async t => {
    const store = await openEmptyStore(engine, t)
    await store.write(async tx => {
      await tx.mails.enqueue({ to: TO, about: 'code', codeId: 7, createdAt: NOW })
      await tx.mails.enqueue({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1 })
    })
    const claim = (now: number, limit = 10) =>
      store.write(tx => tx.mails.claimDue(now, limit, attempts => now + 60 * attempts))
    assert.deepEqual(await claim(NOW - 1), [])
    const [code] = await claim(NOW, 1)
    assert.deepEqual({ ...code, id: 0 }, { id: 0, to: TO, about: 'code', codeId: 7, createdAt: NOW, attempts: 1 })
    const [emailNotification] = await claim(NOW + 1)
    assert.deepEqual(
      { ...emailNotification, id: 0 },
      { id: 0, to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1, attempts: 1 },
    )
    assert.deepEqual(await claim(NOW + 59), [])
    const again = await claim(NOW + 60)
    assert.deepEqual(
      again.map(mail => [mail.id, mail.attempts]),
      [[code?.id, 2]],
    )
    await store.write(tx => tx.mails.remove(code as MailRow))
    assert.deepEqual(
      (await claim(NOW + 10_000)).map(mail => mail.id),
      [emailNotification?.id],
    )
  })

  test('at most one mail about invoices that need attention is queued for an account', async t => {
    const store = await openEmptyStore(engine, t)
    const [one, other] = [await makeAccount(store), await makeAccount(store)]
    const queue = (accountIds: number[], dueAt: number) =>
      store.write(async tx => {
        const accounts = await tx.attentionMails.incrementChangeCount(accountIds)
        await tx.mails.enqueueAttention(
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
    const changes = (accountId: number) => store.read(tx => tx.attentionMails.changeCount(accountId))
    assert.deepEqual([await changes(one.id), await changes(other.id), await changes(9_999)], [3, 1, 0])

    const claim = (now: number) => store.write(tx => tx.mails.claimDue(now, 10, () => now + 60))
    assert.deepEqual(await claim(NOW + 119), [], 'the first queued mail sets the due time')
    const mails = await claim(NOW + 120)
    assert.deepEqual(
      mails.map(({ id, ...mail }) => mail).sort((a, b) => Number(a.to > b.to) - Number(a.to < b.to)),
      [one, other]
        .map(({ id, email }) => {
          return { to: email, about: 'reorged_payments', accountId: id, createdAt: NOW, attempts: 1 }
        })
        .sort((a, b) => Number(a.to > b.to) - Number(a.to < b.to)),
    )

    const [ofOne, ofOther] = [one, other].map(({ email }) => mails.find(mail => mail.to === email) as MailRow)
    await store.write(async tx => {
      assert.equal(await tx.attentionMails.lockChangeCount(one.id), 3)
      await tx.attentionMails.setLastSentAt(one.id, NOW + 121)
      await tx.mails.remove(ofOne as MailRow)
      await tx.mails.postpone(ofOther as MailRow, NOW + 500)
    })
    assert.deepEqual(await claim(NOW + 499), [])
    assert.deepEqual(
      (await claim(NOW + 500)).map(({ id, attempts }) => [id, attempts]),
      [[ofOther?.id, 1]],
    )
    const accounts = await queue([one.id, other.id], NOW + 4_000)
    assert.deepEqual(
      accounts.toSorted((a, b) => a.accountId - b.accountId),
      [known(one, NOW + 121), known(other, null)],
    )
    assert.equal((await claim(NOW + 4_000)).length, 2)
  })

  test('concurrent claims share the mails, and no mail is claimed twice', async t => {
    const store = await openEmptyStore(engine, t)
    for (let i = 0; i < 12; i++)
      await store.write(tx => tx.mails.enqueue({ to: TO, about: 'api_key_revoked', detail: null, createdAt: NOW }))
    const claims = Array.from({ length: 6 }, () => store.write(tx => tx.mails.claimDue(NOW, 3, () => NOW + 60)))
    const claimed = (await Promise.all(claims)).flat().map(mail => mail.id)
    assert.equal(new Set(claimed).size, claimed.length)
    assert.equal(new Set(claimed).size, 12)
  })

  test('a committed mail notifies the listeners, and a rolled back mail is not queued', async t => {
    const store = await openEmptyStore(engine, t)
    let notified = 0
    const unlisten = store.listen('mails', () => {
      notified += 1
    })
    const mail = { to: TO, about: 'viewing_key_set', detail: null, createdAt: NOW } as const
    await assert.rejects(
      store.write(async tx => {
        await tx.mails.enqueue(mail)
        throw new Error('no')
      }),
    )
    assert.equal(notified, 0)
    assert.deepEqual(await store.write(tx => tx.mails.claimDue(NOW, 5, () => NOW)), [])
    await store.write(tx => tx.mails.enqueue(mail))
    unlisten()
    assert.equal((await store.write(tx => tx.mails.claimDue(NOW, 5, () => NOW))).length, 1)
  })
}
