import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../src/ports/repository/page.ts'
import { listLink, type Place, pagerLinks, paginate } from '../../src/web/paginate.ts'

/** Reads a list of the names j to a, newest first, as a repository does. */
async function read({ limit, before, after }: Page): Promise<string[]> {
  const all = [...'jihgfedcba']
  if (after !== undefined) return all.filter(name => name > after).slice(-limit)
  return all.filter(name => before === undefined || name < before).slice(0, limit)
}

const pageAt = (place: Place) => paginate({ size: 4, place, read, idOf: name => name })

test('pages lead to each other in both directions', async () => {
  const first = await pageAt({})
  assert.deepEqual(first, { items: [...'jihg'], newer: null, older: { before: 'g' } })
  const second = await pageAt({ before: 'g' })
  assert.deepEqual(second, { items: [...'fedc'], newer: { after: 'f' }, older: { before: 'c' } })
  const last = await pageAt({ before: 'c' })
  assert.deepEqual(last, { items: ['b', 'a'], newer: { after: 'b' }, older: null })
  assert.deepEqual(await pageAt({ after: 'b' }), second)
})

test('the page above the second one is the first, full, with what came meanwhile', async () => {
  assert.deepEqual(await pageAt({ after: 'f' }), await pageAt({}))
  assert.deepEqual(await pageAt({ after: 'h' }), await pageAt({}))
})

test('below the last row there is a way back', async () => {
  assert.deepEqual(await pageAt({ before: 'a' }), { items: [], newer: {}, older: null })
})

test('links keep the filter, and leave out what is empty', async () => {
  const links = pagerLinks('/list', await pageAt({ before: 'g' }), { status: 'paid', from: '' }, '#log')
  assert.deepEqual(links, { newer: '/list?status=paid&after=f#log', older: '/list?status=paid&before=c#log' })
  assert.equal(listLink('/list', {}), '/list')
})
