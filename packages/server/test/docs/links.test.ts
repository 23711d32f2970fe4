import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { missingProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { visit } from '../web/visit.ts'
import { Guide, openSandboxShell } from './guide.ts'

const GUIDE = new Guide('docs/links.md')
const FIRST_INVOICE = new Guide('docs/first-invoice.md')

describe('the guide to payment links', { skip: missingProgram('bash') || missingProgram('curl') }, () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service?.close())

  test('its command creates a link whose page sells', async t => {
    const shell = openSandboxShell(t, service)
    await shell.run(FIRST_INVOICE.block('sh setup'))
    const link = await shell.json(GUIDE.block('sh create'))
    assert.equal(link.url, `${service.url}/l/${link.id}`)
    const page = await visit(service, `GET /l/${link.id}`)
    assert.match(page.text, /T-shirt/)
    assert.match(page.text, /25\.00 EUR/)
  })
})
