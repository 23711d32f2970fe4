import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, compilerMissing } from './compiler.ts'
import { WASM } from './harness.ts'

test('kernel.wasm is what the build gives, byte for byte', { skip: compilerMissing }, () => {
  assert.equal(Buffer.compare(build(), WASM), 0)
})
