import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailService } from '../../src/container.ts'
import type { OutgoingMail } from '../../src/ports/mailer.ts'
import { openTestContainer } from '../harness/container.ts'
import { onBothDatabases } from '../harness/databases.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { poisonRow } from '../harness/poison.ts'

onBothDatabases(engine => {
  for (const position of [0, 2, 4])
    test(`a mail that cannot be recorded as sent, at place ${position}, keeps no other from being sent`, async t => {
      const clock = new ManualClock()
      const database = await engine.createDatabase(t)
      const sent: OutgoingMail[] = []
      const mailer = { send: async (mail: OutgoingMail) => void sent.push(mail), close: () => {} }
      const { infrastructure, services } = await openTestContainer(t, { clock, mailer, store: await database.open() })
      const mails = createMailService(infrastructure, mailer, () => 'https://pay.example')
      const recipients = ['a', 'b', 'c', 'd', 'e'].map(name => `${name}@example.org`)
      await infrastructure.store.write(async tx => {
        for (const to of recipients)
          await tx.mails.enqueue({ to, about: 'webhook_removed', detail: null, createdAt: clock.secs })
      })
      const bad = recipients[position] as string
      // Only the end of the mail cannot be written: the claim leaves "mailed" as it is.
      const repair = await poisonRow(database.url, {
        table: 'mails',
        column: 'recipient || mailed',
        value: `${bad}1`,
        on: 'UPDATE',
      })
      assert.equal(await mails.sendNotices(10), 5)
      assert.deepEqual(sent.map(({ to }) => to).sort(), recipients)
      const kinds = async () => (await services.setAsides.countByKind()).map(({ kind, rows }) => [kind, rows])
      assert.deepEqual(await kinds(), [['mail', 1]])
      clock.advance(60)
      assert.equal(await mails.sendNotices(10), 0, 'it is left out, and the others are done')
      await repair()
      await mails.retrySetAside()
      assert.deepEqual(await kinds(), [])
      assert.equal(await mails.sendNotices(10), 1)
    })
})
