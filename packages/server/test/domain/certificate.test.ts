import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { certificateProblem } from '../../src/domain/certificate.ts'
import { openError } from '../../src/store/open-error.ts'
import { makeCertificate } from '../harness/certificate.ts'

const CERTIFICATE = makeCertificate('one.example')

/** The error of a TLS client for this name. @param ca default: the certificate is not trusted */
async function failure(port: number, servername: string, ca?: string): Promise<Error> {
  const socket = tls.connect({ port, host: '127.0.0.1', servername, ...(ca && { ca }) })
  const [error] = await once(socket, 'error')
  return error as Error
}

test('real handshakes that fail say which certificate is wrong, and what to do', async t => {
  const server = tls.createServer(CERTIFICATE).on('tlsClientError', () => {})
  const plain = createServer(socket => void socket.on('error', () => {}).end('220 no TLS here at all\r\n'))
  for (const listening of [server, plain]) {
    await once(listening.listen(0, '127.0.0.1'), 'listening')
    t.after(() => listening.close())
  }
  const { port } = server.address() as AddressInfo
  const other = await failure(port, 'two.example', CERTIFICATE.cert)
  assert.equal(certificateProblem(other)?.says, 'the certificate is for another name: it has DNS:one.example')
  const selfSigned = await failure(port, 'one.example')
  assert.equal(certificateProblem(selfSigned)?.says, 'the certificate is self-signed')
  const noTls = await failure((plain.address() as AddressInfo).port, 'one.example')
  assert.equal(certificateProblem(noTls)?.says, 'the server does not speak TLS on this port')
  // Adapters wrap such errors.
  assert.equal(certificateProblem(new Error('failed', { cause: selfSigned }))?.says, 'the certificate is self-signed')
  assert.equal(certificateProblem(new Error('another fault')), null)

  const opened = openError('postgres://u:secret@db.example:5432/z', other) as Error
  assert.match(opened.message, /db\.example:5432 cannot be opened: the certificate is for another name: it has DNS:one/)
  assert.doesNotMatch(opened.message, /secret/)
})

test('the codes of an expired, early or unknown certificate have their reasons', () => {
  const saysOf = (code: string) => certificateProblem(Object.assign(new Error('x'), { code }))?.says
  assert.equal(saysOf('CERT_HAS_EXPIRED'), 'the certificate has expired')
  assert.equal(saysOf('CERT_NOT_YET_VALID'), 'the certificate is not valid yet')
  for (const code of ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN'])
    assert.equal(saysOf(code), 'the certificate is not from an authority that this machine trusts')
})
