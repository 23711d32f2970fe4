import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxOpenFiles } from '../../../src/adapters/system/open-files.ts'
import { stackOf, temporaryFolder } from '../../harness/container.ts'

test('the soft limit of open files is read from the limits that Linux shows', t => {
  const file = join(temporaryFolder(stackOf(t)), 'limits')
  const limits = (soft: string) =>
    'Limit                     Soft Limit           Hard Limit           Units     \n' +
    'Max processes             96231                96231                processes \n' +
    `Max open files            ${soft.padEnd(20)} 1048576              files     \n`
  writeFileSync(file, limits('1024'))
  assert.equal(maxOpenFiles(file), 1_024)
  writeFileSync(file, limits('unlimited'))
  assert.equal(maxOpenFiles(file), null)
})

test('without that file, as on other systems, the limit is unknown', () => {
  assert.equal(maxOpenFiles('/nowhere/limits'), null)
})

test('the limit of this process is read', { skip: process.platform !== 'linux' && 'only Linux shows it' }, () => {
  assert.ok((maxOpenFiles() ?? 0) >= 64)
})
