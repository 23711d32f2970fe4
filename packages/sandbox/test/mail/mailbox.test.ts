import assert from 'node:assert/strict'
import { test } from 'node:test'
import nodemailer from 'nodemailer'
import { parseMail } from '../../src/mail/mail-parser.ts'
import { Mailbox } from '../../src/mail/mailbox.ts'

function raw(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('\r\n'))
}

test('stores mails newest first, finds them by recipient in any letter case, and extracts the code', async t => {
  const mailbox = await Mailbox.start()
  t.after(() => mailbox.close())
  const transport = nodemailer.createTransport(mailbox.url)
  t.after(() => transport.close())
  const from = 'zatgate <no-reply@example.org>'
  await transport.sendMail({
    from,
    to: 'a@example.org',
    subject: 'Your code',
    text: 'Your code is 012345.\nOr 1234567.',
  })
  await transport.sendMail({
    from,
    to: ['a@example.org', 'b@example.org'],
    subject: 'Grüße – 你好',
    text: `ü ${'lang '.repeat(40)}`,
  })
  assert.deepEqual(mailbox.mails('A@example.org').at(-1), {
    to: 'a@example.org',
    subject: 'Your code',
    text: 'Your code is 012345.\nOr 1234567.',
    code: '012345',
  })
  assert.equal(mailbox.mails('a@example.org').length, 2)
  assert.deepEqual(mailbox.mails('b@example.org'), [
    { to: 'b@example.org', subject: 'Grüße – 你好', text: `ü ${'lang '.repeat(40)}`.trimEnd() },
  ])
  assert.equal(mailbox.mails().length, 3)
})

test('keeps the last 1,000 mails', async t => {
  const mailbox = await Mailbox.start()
  t.after(() => mailbox.close())
  const transport = nodemailer.createTransport({
    url: mailbox.url,
    pool: true,
    maxConnections: 1,
    maxMessages: Infinity,
  })
  t.after(() => transport.close())
  const recipients = Array.from({ length: 100 }, (_, i) => `m${i}@example.org`)
  for (let i = 0; i < 11; i++)
    await transport.sendMail({ from: 'x@example.org', to: recipients, subject: `${i}`, text: 'x' })
  assert.equal(mailbox.mails().length, 1000)
  assert.deepEqual(
    [...new Set(mailbox.mails().map(({ subject }) => subject))],
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map(String),
  )
})

test('parses plain text in all supported encodings', () => {
  assert.deepEqual(parseMail(raw(['Subject: =?UTF-8?B?R3LDvMOfZQ==?=', ' =?UTF-8?Q?_an_alle?=', '', 'plain'])), {
    subject: 'Grüße an alle',
    text: 'plain',
  })
  const quoted = [
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'caf=E9 =',
    'noir',
  ]
  assert.equal(parseMail(raw(quoted)).text, 'café noir')
  const base64 = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', '', 'Y2Fmw6k=']
  assert.equal(parseMail(raw(base64)).text, 'café')
})

test('parses the text part of a multipart mail', () => {
  const mail = raw([
    'Subject: two parts',
    'Content-Type: multipart/alternative; boundary="--b"',
    '',
    '----b',
    'Content-Type: text/html',
    '',
    '<p>code 111111</p>',
    '----b',
    'Content-Type: text/plain',
    '',
    'code 222222',
    '----b--',
    '',
  ])
  assert.deepEqual(parseMail(mail), { subject: 'two parts', text: 'code 222222' })
})
