import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { loadConfig } from '../../../src/config/settings.ts'
import { makeCertificate } from '../../harness/certificate.ts'
import { runCommand } from '../../harness/command-line.ts'
import { startTestService } from '../../harness/service.ts'

async function listenOnIpv6(t: TestContext, server: Server): Promise<number> {
  await once(server.listen(0, '::1'), 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function findings(t: TestContext, settings: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-doctor-host-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const env = {
    NETWORK: 'test',
    LIGHTWALLETD_URL: 'http://[::1]:1',
    DATA_DIR: dir,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MAIL_FROM: 'a@example.org',
    ...settings,
  }
  const rows = (await runCommand(['doctor', '--json'], env)).json() as { check: string; state: string; says: string }[]
  return (check: string) => rows.find(row => row.check === check)
}

const LOGIN = { user: 'shop', pass: 'secret' }

async function startMailServer(t: TestContext, options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      done(null, username === LOGIN.user && password === LOGIN.pass ? { user: username } : {}),
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '::1', resolve))
  t.after(() => new Promise<void>(resolve => server.close(resolve)))
  return (server.server.address() as AddressInfo).port
}

test('doctor talks to a mail server as for a mail: TLS, certificate and login, also at an IPv6 address', async t => {
  const plain = await startMailServer(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
  const certificate = makeCertificate('mail.example')
  const starttls = await startMailServer(t, certificate)
  const secured = await startMailServer(t, { ...certificate, secure: true })
  const mute = await listenOnIpv6(
    t,
    createServer(socket => socket.end('hello\r\n').on('error', () => {})),
  )
  for (const [url, state, says] of [
    [`smtp://[::1]:${plain}?requireTLS=false`, 'ok', /^\[::1\] responds$/],
    [`smtp://shop:secret@[::1]:${plain}?requireTLS=false`, 'ok', /^\[::1\] responds and accepts the login$/],
    [`smtp://shop:wrong@[::1]:${plain}?requireTLS=false`, 'wrong', /^Invalid login: 535/],
    [`smtp://[::1]:${plain}?requireTLS=true`, 'wrong', /STARTTLS|TLS/],
    [`smtp://[::1]:${starttls}`, 'wrong', /^the certificate is self-signed$/],
    [`smtps://[::1]:${secured}`, 'wrong', /^the certificate is self-signed$/],
    [`smtps://[::1]:${plain}`, 'wrong', /^the server does not speak TLS on this port$/],
    [`smtp://[::1]:${mute}`, 'wrong', /^Invalid greeting/],
    ['smtp://[::1]:1', 'wrong', /ECONNREFUSED ::1:1/],
  ] as const) {
    const mail = (await findings(t, { SMTP_URL: url }))('mail')
    assert.equal(mail?.state, state, `${url}: ${mail?.says}`)
    assert.match(mail?.says ?? '', says, url)
    assert.doesNotMatch(JSON.stringify(mail), /secret|wrong@/)
  }
})

test('doctor asks a chain server at an IPv6 address', async t => {
  const found = await findings(t, { SMTP_URL: 'smtp://[::1]:1' })
  assert.match(found('chain source [::1]:1')?.says ?? '', /ECONNREFUSED ::1:1/)
})

test('HOST may be an IPv6 address with or without brackets, and no URL and no port', () => {
  for (const [given, host] of [
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['::', '::'],
    ['[::]', '::'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['0.0.0.0', '0.0.0.0'],
    ['localhost', 'localhost'],
  ] as const)
    assert.equal(loadConfig({ HOST: given }).host, host)
  for (const given of ['http://[::1]', '[::1]:3000', '127.0.0.1:3000', '::1]', '[::1', 'a b'])
    assert.throws(() => loadConfig({ HOST: given }), /HOST.*without a port/s, given)
})

test('a service that listens at all addresses names one of this machine', async t => {
  for (const host of ['[::]', '[::1]']) {
    const service = await startTestService({ env: { HOST: host } })
    t.after(() => service.close())
    assert.match(service.url, /^http:\/\/\[::1\]:\d+$/)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  }
})
