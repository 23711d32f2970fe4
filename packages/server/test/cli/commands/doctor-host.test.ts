import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
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

test('doctor asks a mail server at an IPv6 address, and says what is wrong with its certificate', async t => {
  const greet = (socket: { write(text: string): unknown; on(event: 'error', done: () => void): unknown }) => {
    socket.on('error', () => {})
    socket.write('220 mail\r\n')
  }
  const plain = await listenOnIpv6(t, createServer(greet))
  const found = await findings(t, { SMTP_URL: `smtp://[::1]:${plain}` })
  assert.deepEqual([found('mail')?.state, found('mail')?.says], ['ok', '[::1] responds'])
  assert.match(found('chain source [::1]:1')?.says ?? '', /ECONNREFUSED ::1:1/)

  const secured = tls.createServer(makeCertificate('mail.example'), greet).on('tlsClientError', () => {})
  const port = await listenOnIpv6(t, secured)
  const mail = (await findings(t, { SMTP_URL: `smtps://[::1]:${port}` }))('mail')
  assert.deepEqual([mail?.state, mail?.says], ['wrong', 'the certificate is self-signed'])
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
