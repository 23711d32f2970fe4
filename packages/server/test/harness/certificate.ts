import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a self-signed certificate for a host name. @returns certificate and key as PEM */
export function makeCertificate(name: string): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  try {
    const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -batch'.split(' ')
    const files = [
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    ]
    execFileSync('openssl', [...args, ...files], { cwd: folder, stdio: 'ignore', timeout: 20_000 })
    return { cert: readFileSync(join(folder, 'cert.pem'), 'utf8'), key: readFileSync(join(folder, 'key.pem'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
