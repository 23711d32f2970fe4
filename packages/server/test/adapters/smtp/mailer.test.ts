import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { createSmtpMailer } from '../../../src/adapters/smtp/mailer.ts'

const MAIL = { to: 'merchant@example.org', subject: 'code', text: '123456' }

test('where TLS is required, no mail goes to a server without it; otherwise it does', async t => {
  const mailbox = await Mailbox.start(0)
  t.after(() => mailbox.close())
  const send = async (url: string, requireTls: boolean) => {
    const mailer = createSmtpMailer(url, 'shop@example.org', requireTls)
    t.after(() => mailer.close())
    await mailer.send(MAIL)
  }
  await assert.rejects(send(mailbox.url, true), /STARTTLS|TLS/)
  assert.equal(mailbox.mails(MAIL.to).length, 0)
  await send(mailbox.url, false)
  await send(`${mailbox.url}?requireTLS=false`, false)
  assert.equal(mailbox.mails(MAIL.to).length, 2)
})
