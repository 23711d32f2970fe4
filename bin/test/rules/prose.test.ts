import { test } from 'node:test'
import { keep } from './lexer.ts'
import { lineOf, none, paths, readText, sources } from './sources.ts'

/** Words of an earlier private language of this project, and what to write instead. */
const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\btold\b/gi, 'sent, reported'],
  [/\bheed(?:s|ed)?\b/gi, 'apply, follow'],
  [/\bglances?\b/gi, 'a read in one statement'],
  [/\bcrowd(?:s|ed)?\b/gi, 'batch'],
  [/\bdesks?\b/gi, 'operator'],
  [/\b(?:whoever|somebody|nobody(?!@|%40))\b/gi, 'the person or the component by name; no one'],
  [/\bhears? (?:of|about|from)\b/gi, 'receives, is notified of'],
  [/\bfor ever\b/gi, 'without limit, until …'],
  [/\bso many\b/gi, 'the number'],
  [/\bbe it\b/gi, 'whether … or …'],
  [/\bof chance\b/gi, 'random'],
  [/\b(?:takes?|took|taken|taking)(?: only)?(?: \w+)? back\b/gi, 'reverts, rolls back, disconnects (blocks)'],
  [/\bwhat fails\b/gi, 'failed calls; if … fails'],
  [/\b(?:him|one|those|that) who (?:is|are|has)\b/gi, 'the person by role'],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b/gi, 'is absent, is not valid'],
  [/\bto be had\b/gi, 'available'],
  [/\bthe ones? before\b/gi, 'the previous'],
  [/\b(?:lapses?|lapsed)\b/gi, 'expires'],
  [/\bneighbou?rs?\b/gi, 'services, trusted hosts'],
  [/\bmends?\b/gi, 'fixes'],
  [/\bthe world\b/gi, 'external systems, the environment'],
  [/\b(?:one|a|each|every|next) look\b/gi, 'poll, sync, read'],
  [/\bclerks?\b/gi, 'worker'],
  [/\bupkeep\b/gi, 'cleanup'],
  [/\bsightings?\b/gi, 'observed payments'],
  [/\b(?:besides|shall)\b/gi, 'other than, in addition to; must'],
  [/\bof (?:its|their) own\b(?! [a-z])/g, 'its own …, a separate …'],
  [/\/\*\*\s+(?:\* )?What\b/g, 'what the documented thing is: "The price of …"'],
]

/** Words that are terms in one folder: the simulation has a world around the service. */
const TERMS: readonly (readonly [folder: string, term: RegExp])[] = [['packages/simulation/', /\bthe world\b/gi]]

/** This file, which lists the words. */
const SELF = 'bin/test/rules/prose.test.ts'

/** Comments and strings of code, and the whole text of documents, styles, scripts and pages. */
function proseOf(path: string): string {
  const text = readText(path)
  return /\.(?:ts|mjs|js)$/.test(path) ? keep(text, 'comment', 'string') : text
}

/** The prose with the terms of its folder replaced by spaces, at the same offsets. */
function withoutTerms(path: string, prose: string): string {
  return TERMS.filter(([folder]) => path.startsWith(folder)).reduce(
    (text, [, term]) => text.replaceAll(term, words => ' '.repeat(words.length)),
    prose,
  )
}

const files = [
  ...sources.map(({ path }) => path),
  ...paths('{*,docs/**/*,deploy/*/*,packages/*/*}.md'),
  ...paths('packages/*/src/**/*.{css,js,proto}'),
  ...paths('packages/*/scripts/*'),
]
  .filter(path => path !== SELF)
  .map(path => ({ path, prose: withoutTerms(path, proseOf(path)) }))

for (const [pattern, instead] of BANNED) {
  test(`no prose matches ${pattern.source}; write ${instead}`, () => {
    const found = files.flatMap(({ path, prose }) =>
      [...prose.matchAll(pattern)].map(({ 0: words, index }) => `${path}:${lineOf(prose, index)} ${words}`),
    )
    none(found)
  })
}
