import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODE_QUEUES } from '../../../../src/domain/account/sign-in.ts'
import type { AttentionMail, CodeMail, NoticeMail, UnsortedCode } from '../../../../src/ports/repository/notify/mail.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW } from '../../../harness/fixtures.ts'

const TO = 'shop@example.org'

export function mailSuite(engine: DatabaseEngine): void {
  const later = (now: number) => (attempts: number) => now + 60 * attempts

  test('a mail that was removed by another process is not confused with a later one of the same id', async t => {
    const store = await openEmptyStore(engine, t)
    await store.write(tx => tx.mails.enqueueCode({ to: TO, about: 'code', codeId: 7, createdAt: NOW }, 'browser'))
    const [first] = (await store.write(tx => tx.mails.claimCodes(NOW, 10, later(NOW)))) as [CodeMail]
    await store.write(tx => tx.mails.remove(first))
    await store.write(tx => tx.mails.enqueue({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW + 1 }))
    await store.write(async tx => {
      await tx.mails.postpone(first, NOW + 10_000)
      await tx.mails.remove(first)
    })
    assert.equal((await store.write(tx => tx.mails.claimNotices(NOW + 1, 10, later(NOW)))).length, 1)
  })

  test('a code is due at once, and a claimed one is due again at its retry time until it is removed', async t => {
    const store = await openEmptyStore(engine, t)
    const mail = { to: TO, about: 'code', codeId: 7, createdAt: NOW } as const
    await store.write(tx => tx.mails.enqueueCode(mail, 'browser'))
    const claim = (now: number) => store.write(tx => tx.mails.claimCodes(now, 10, later(now)))
    assert.deepEqual(await claim(NOW - 1), [])
    const [code] = (await claim(NOW)) as [CodeMail]
    assert.deepEqual({ ...code, id: 0 }, { id: 0, ...mail, attempts: 1 })
    assert.deepEqual(await claim(NOW + 59), [])
    assert.deepEqual(
      (await claim(NOW + 60)).map(({ id, attempts }) => [id, attempts]),
      [[code.id, 2]],
    )
    await store.write(tx => tx.mails.remove(code))
    assert.deepEqual(await claim(NOW + 10_000), [])
  })

  test('however many kinds were mailed at the same time, none of them is claimed again without a new event', async t => {
    const store = await openEmptyStore(engine, t)
    const claim = (now: number, limit: number) => store.write(tx => tx.mails.claimNotices(now, limit, later(now)))
    for (let i = 0; i < 5; i++)
      await store.write(tx =>
        tx.mails.enqueue({ to: `${i}@example.org`, about: 'signed_in', detail: null, createdAt: NOW }),
      )
    for (const notice of (await claim(NOW, 10)) as NoticeMail[])
      await store.write(tx => tx.mails.setMailed(notice, NOW + 600))
    await store.write(tx =>
      tx.mails.enqueue({ to: '4@example.org', about: 'signed_in', detail: null, createdAt: NOW + 9 }),
    )
    const claimed: string[] = []
    for (let i = 0; i < 5; i++) claimed.push(...(await claim(NOW + 600, 2)).map(({ to }) => to))
    assert.deepEqual(claimed, ['4@example.org'])
  })

  test('codes are claimed by queue, whatever their age; unsorted codes and notices are not', async t => {
    const store = await openEmptyStore(engine, t)
    const { email } = await makeAccount(store)
    const code = (to: string, codeId: number) => ({ to, about: 'code', codeId, createdAt: NOW + codeId }) as const
    await store.write(async tx => {
      await tx.mails.enqueue({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW })
      await tx.mails.enqueueCode(code(TO, 1), 'unsorted')
      await tx.mails.enqueueCode(code(email, 2), 'unsorted')
      await tx.mails.enqueueCode(code(TO, 3), 'browser')
      await tx.mails.enqueueCode(code('gone@example.org', 4), 'unsorted')
    })
    const unsorted = await store.write(async tx => {
      const [unknown, account, gone] = (await tx.mails.lockUnsorted(10)) as [UnsortedCode, UnsortedCode, UnsortedCode]
      await tx.mails.setQueue([unknown.mailId], 'unknown')
      await tx.mails.setQueue([account.mailId], 'account')
      await tx.mails.removeUnsorted([gone.mailId])
      return [unknown, account, gone].map(({ hasAccount }) => hasAccount)
    })
    assert.deepEqual(unsorted, [false, true, false])
    assert.deepEqual(await store.write(tx => tx.mails.lockUnsorted(10)), [])
    const claim = () => store.write(tx => tx.mails.claimCodes(NOW + 9, 2, later(NOW)))
    const codeIds = [...(await claim()), ...(await claim())].map(({ codeId }) => codeId)
    assert.deepEqual(codeIds, [3, 2, 1])
  })

  test('a due mail of each queue is found, and an unsorted code before it is due', async t => {
    const store = await openEmptyStore(engine, t)
    const isAnyDue = (now: number) =>
      store
        .query(tx => tx.mails.isAnyDue('codes', now))
        .then(async codes => [codes, await store.query(tx => tx.mails.isAnyDue('notices', now))])
    assert.deepEqual(await isAnyDue(NOW), [false, false])
    await store.write(tx => tx.mails.enqueue({ to: TO, about: 'api_key_created', detail: 'till', createdAt: NOW }))
    assert.deepEqual(await isAnyDue(NOW - 1), [false, false])
    assert.deepEqual(await isAnyDue(NOW), [false, true])
    for (const queue of CODE_QUEUES) {
      await store.write(tx => tx.mails.enqueueCode({ to: TO, about: 'code', codeId: 7, createdAt: NOW }, 'unsorted'))
      assert.deepEqual(await isAnyDue(NOW - 1), [true, false])
      await store.write(async tx => {
        const [code] = await tx.mails.listUnsorted(1)
        await tx.mails.setQueue([code!.id], queue)
      })
      assert.deepEqual(await isAnyDue(NOW - 1), [false, false])
      assert.deepEqual(await isAnyDue(NOW), [true, true])
      await store.write(async tx => {
        for (const code of await tx.mails.claimCodes(NOW, 1, later(NOW))) await tx.mails.remove(code)
      })
    }
  })

  test('events of one kind share a row, and those during and after a mail are in the next one', async t => {
    const store = await openEmptyStore(engine, t)
    const enqueue = (detail: string, createdAt: number) =>
      store.write(tx => tx.mails.enqueue({ to: TO, about: 'api_key_created', detail, createdAt }))
    const claim = async (now: number) =>
      (await store.write(tx => tx.mails.claimNotices(now, 10, later(now)))) as NoticeMail[]
    const summary = (mails: readonly NoticeMail[]) =>
      mails.map(({ detail, unmailed, lastAt }) => [detail, unmailed, lastAt])
    await enqueue('one', NOW)
    await enqueue('two', NOW + 1)
    const first = await claim(NOW + 1)
    assert.deepEqual(summary(first), [['two', 2, NOW + 1]])
    await enqueue('three', NOW + 2)
    await store.write(tx => tx.mails.setMailed(first[0] as NoticeMail, NOW + 600))
    await enqueue('four', NOW + 3)
    assert.deepEqual(await claim(NOW + 599), [])
    const second = await claim(NOW + 600)
    assert.deepEqual(summary(second), [['four', 2, NOW + 3]])
    await store.write(tx => tx.mails.setMailed(second[0] as NoticeMail, NOW + 1_200))
    await store.write(tx => tx.mails.setMailed(first[0] as NoticeMail, NOW + 9_000))
    assert.deepEqual(await claim(NOW + 1_200), [], 'a row whose events are mailed is removed')
    await enqueue('five', NOW + 1_201)
    assert.deepEqual(summary(await claim(NOW + 1_201)), [['five', 1, NOW + 1_201]])
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

    const claim = (now: number) => store.write(tx => tx.mails.claimNotices(now, 10, () => now + 60))
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

    const [ofOne, ofOther] = [one, other].map(({ email }) => mails.find(mail => mail.to === email) as AttentionMail)
    await store.write(async tx => {
      assert.equal(await tx.attentionMails.lockChangeCount(one.id), 3)
      await tx.attentionMails.setLastSentAt(one.id, NOW + 121)
      await tx.mails.remove(ofOne as AttentionMail)
      await tx.mails.postpone(ofOther as AttentionMail, NOW + 500)
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
      await store.write(tx =>
        tx.mails.enqueue({ to: `${i}@example.org`, about: 'api_key_revoked', detail: null, createdAt: NOW }),
      )
    const claims = Array.from({ length: 6 }, () => store.write(tx => tx.mails.claimNotices(NOW, 3, () => NOW + 60)))
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
    assert.deepEqual(await store.write(tx => tx.mails.claimNotices(NOW, 5, () => NOW)), [])
    await store.write(tx => tx.mails.enqueue(mail))
    unlisten()
    assert.equal((await store.write(tx => tx.mails.claimNotices(NOW, 5, () => NOW))).length, 1)
  })
}
