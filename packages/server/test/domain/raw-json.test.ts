import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memberTexts, nestingOf, RawJson, stringify } from '../../src/domain/raw-json.ts'

test('the members of an object have the texts that were written', () => {
  const json = '{ "a" : 1.50 ,"b":{"x": [1, {"a": 2}], "s": "}\\\\"} , "c\\u0064":"\\u00e9" , "e":[ ],"n":null}'
  assert.deepEqual(
    [...memberTexts(json)],
    [
      ['a', '1.50'],
      ['b', '{"x": [1, {"a": 2}], "s": "}\\\\"}'],
      ['cd', '"\\u00e9"'],
      ['e', '[ ]'],
      ['n', 'null'],
    ],
  )
  assert.deepEqual([...memberTexts('{}'), ...memberTexts(' { } ')], [])
  assert.equal(memberTexts('{"a":1,"a":{"b":2}}').get('a'), '{"b":2}', 'the last one counts, as for JSON.parse')
  assert.equal(memberTexts('{"__proto__":{"a":1}}').get('__proto__'), '{"a":1}')
})

const value = fc.jsonValue({ maxDepth: 4 })

test('the texts of the members are the members, however the object is laid out', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), fc.constantFrom(undefined, 1, '\t'), (object, indent) => {
      const members = memberTexts(JSON.stringify(object, null, indent))
      const plain = JSON.parse(JSON.stringify(object))
      assert.deepEqual([...members.keys()].sort(), Object.keys(plain).sort())
      for (const [name, text] of members) assert.deepEqual(JSON.parse(text), plain[name])
    }),
  )
})

test('nesting counts objects and lists, not the brackets in texts', () => {
  for (const [json, depth] of [
    ['1', 0],
    ['{}', 1],
    ['{"a":[1],"b":{}}', 2],
    ['{"[[{":"[[["}', 1],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 40],
  ] as const)
    assert.equal(nestingOf(json), depth, json)
})

test('a raw member is sent as it is, after the others', () => {
  const raw = new RawJson('{"n": 1.0, "n": 2}')
  assert.equal(stringify({ a: 1, raw, b: 'x' }), '{"a":1,"b":"x","raw":{"n": 1.0, "n": 2}}')
  assert.equal(stringify({ raw }), '{"raw":{"n": 1.0, "n": 2}}')
  assert.equal(stringify([{ a: 1 }, { raw }]), '[{"a":1},{"raw":{"n": 1.0, "n": 2}}]')
  assert.equal(stringify([]), '[]')
})
