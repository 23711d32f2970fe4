import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/domain/error.ts'
import { findByPublicId, sameRow } from '../../src/services/public-id.ts'

const ID = '9f1b6c1e-3f55-4b0e-8f0a-2f6f1d1c7a11'
const noSuchDelivery = (error: unknown) => error instanceof AppError && error.code === 'no_such_delivery'

test('a public id is found in either case', async () => {
  const rows = new Map([[ID, 'row']])
  const find = async (id: string) => rows.get(id) ?? null
  assert.equal(await findByPublicId('no_such_delivery', ID, find), 'row')
  assert.equal(await findByPublicId('no_such_delivery', ID.toUpperCase(), find), 'row')
  await assert.rejects(findByPublicId('no_such_delivery', ID.replace('9', '8'), find), noSuchDelivery)
})

test('text that is no UUID is an unknown id, and reaches no database', async () => {
  const find = () => assert.fail('it was looked up')
  for (const text of ['', '1', `${ID} `, ID.replaceAll('-', ''), "' OR 1=1"])
    await assert.rejects(findByPublicId('no_such_delivery', text, find), noSuchDelivery, text)
})

test('the row of another object, under a row id that was read before, is not taken for it', () => {
  const before = { id: 7, publicId: ID }
  const row = { ...before, plan: 'free' }
  assert.equal(sameRow(row, before), row)
  assert.equal(sameRow({ id: 7, publicId: ID.replace('9', '8') }, before), null)
  assert.equal(sameRow(undefined, before), null)
  assert.equal(sameRow(null, before), null)
})
