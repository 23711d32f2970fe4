import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseEnvironment } from '../../../../deploy/systemd/environment.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { deployPath } from './files.ts'

/** A program of systemd that reads environment files with the code that reads EnvironmentFile=. */
const SYSTEMD = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'

/** One file each. Values have no `$`, which only this program expands, and are not empty, which only it leaves out. */
const FILES: Record<string, string> = {
  plain: 'A=1\nB=two words\n',
  'double quotes': 'A="two words"\nB="a\\"b\\\\c\\nd"\n',
  'single quotes': "A='two words'\nB='a\\b\"c'\n",
  'quotes inside': 'A=a"b"c\nB="a"b\nC="a" "b"\nD=\'a\'"b"c\n',
  'line ends of Windows': 'A=1\r\nB="2"\r\nC=3 \r\n',
  'line ends of old Macs': 'A=1\rB=2\r',
  'a byte order mark': '\ufeffA=1\nB=2\n',
  'no line end': 'A=1\nB=2',
  'an open quote': 'A=1\nB="2\nC=3',
  blanks: '  A = 1  \n\tB=\t2\t\n\n \n',
  comments: '# A=1\n; B=2\n  # C=3\nD=4 # no comment\nE=5;6\n',
  continued: 'A=a\\\nb\\\n  c\nB="a\\\nb"\n',
  'several lines': 'A="one\ntwo"\nB=\'one\ntwo\'\n',
  backslashes: 'A=a\\b\nB=a\\\\b\nC=a\\ \nD=\\"a\n',
  'invalid names': 'export A=1\n1B=2\nC-D=3\nE.F=4\nG=5\n',
  'no value sign': 'A\nB=2\nC',
  'the same name twice': 'A=1\nB=2\nA=3\n',
  'an equals sign in the value': 'A=b=c\nURL=smtps://u:p@h?x=y&z=%20#f\n',
  'other letters': 'A=größe\nB="店 🛡️"\n',
  'a control character': 'A=a\u0007b\nB=2\n',
}

function readBySystemd(t: TestContext, text: string): Record<string, string> {
  const folder = temporaryFolder(stackOf(t))
  mkdirSync(join(folder, 'environment.d'))
  writeFileSync(join(folder, 'environment.d', 'a.conf'), text)
  const { stdout } = spawnSync(SYSTEMD, { env: { XDG_CONFIG_HOME: folder, HOME: folder }, encoding: 'utf8' })
  const lines = [...stdout.matchAll(/^(\w+)=(?:"((?:[^"\\]|\\.)*)"|(.*))$/gm)]
  const decode = (value: string) =>
    value.replaceAll(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c === 't' ? '\t' : c === 'a' ? '\u0007' : c))
  return Object.fromEntries(lines.map(([, name = '', quoted, bare]) => [name, decode(quoted ?? bare ?? '')]))
}

for (const [name, text] of Object.entries(FILES))
  test(`an environment file is read as by systemd: ${name}`, {
    skip: !existsSync(SYSTEMD) && 'systemd is not installed',
  }, t => {
    const { QT_ACCESSIBILITY: _, ...expected } = readBySystemd(t, text)
    assert.ok(Object.keys(expected).length > 0)
    assert.deepEqual(parseEnvironment(text).variables, expected)
  })

test('an empty value is a value, and a dollar stays', () => {
  assert.deepEqual(parseEnvironment('A=\nB=""\nC=$A\n').variables, { A: '', B: '', C: '$A' })
})

test('a comment that versions of systemd read differently is refused', () => {
  assert.throws(() => parseEnvironment('# a \\\nA=1\n'), /a comment ends with a backslash/)
})

test('the command gets the variables of the file, and a secret from the file that it names', t => {
  const file = join(temporaryFolder(stackOf(t)), 'zatgate.env')
  writeFileSync(file, '\ufeffNETWORK=main\r\nA="b c"\r\nDATA_DIR=/data\r\nSMTP_URL_FILE=/s\r\n')
  const script = 'process.stdout.write(JSON.stringify([process.env.A, process.env.DATA_DIR, process.env.SMTP_URL]))'
  const args = [deployPath('systemd/environment.ts'), file, process.execPath, '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    encoding: 'utf8',
    env: { DATA_DIR: '/var/lib/zatgate', SMTP_URL: 'smtp://x', PATH: process.env.PATH },
  })
  assert.deepEqual(JSON.parse(stdout), ['b c', '/data', null])
  assert.match(stderr, /zatgate\.env: "\ufeffNETWORK" is no name/)
})
