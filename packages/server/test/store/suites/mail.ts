import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, freshStore } from '../databases.ts'
import { NOW } from '../fixtures.ts'

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
