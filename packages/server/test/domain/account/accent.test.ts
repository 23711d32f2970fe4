import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { accentColours, contrastRatio, GROUNDS, MIN_CONTRAST } from '../../../src/domain/account/accent.ts'

const THEMES = ['light', 'dark'] as const
const colour = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`)

test('every accent can be read on each ground of each theme, and so can the text upon it', () => {
  const check = (given: string) => {
    for (const theme of THEMES) {
      const { accent, text, soft } = accentColours(given, theme)
      for (const ground of [GROUNDS[theme].card, GROUNDS[theme].worst, soft])
        assert.ok(contrastRatio(accent, ground) >= MIN_CONTRAST, `${given}: ${accent} on ${ground}`)
      assert.ok(contrastRatio(accent, text) >= MIN_CONTRAST, `${given}: ${text} on ${accent}`)
      const isGood = contrastRatio(given, GROUNDS[theme].worst) >= MIN_CONTRAST
      assert.equal(accent === given, isGood, `${given} stays as it is when it is good enough, and only then`)
    }
  }
  for (const edge of ['#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#00ff00', '#777777', '#808080'])
    check(edge)
  fc.assert(fc.property(colour, check), { numRuns: 3_000 })
})

test('contrast is that of the standard', () => {
  assert.equal(contrastRatio('#000000', '#ffffff'), 21)
  assert.equal(contrastRatio('#777777', '#777777'), 1)
  assert.equal(contrastRatio('#767676', '#ffffff').toFixed(2), '4.54')
  assert.equal(contrastRatio('#777777', '#ffffff').toFixed(2), '4.48')
})

test('the grounds are those of the pages', () => {
  const css = readFileSync(new URL('../../../src/web/assets/style/1-base.css', import.meta.url), 'utf8')
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)')
  for (const [part, { card, worst }] of [
    [light, GROUNDS.light],
    [dark, GROUNDS.dark],
  ] as const) {
    assert.ok(part.includes(`--sheet: ${card};`) && part.includes(`--sunken: ${worst};`))
    const [, ground = ''] = /--ground: (#\w+);/.exec(part) ?? []
    const isBetween = contrastRatio(ground, card) <= contrastRatio(worst, card)
    assert.ok(isBetween, 'the ground behind the cards differs less from them')
  }
})
