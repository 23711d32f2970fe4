import { test } from 'node:test'
import { lineOf, none, type Source, sourcesIn } from './sources.ts'

/** The libraries, and the ports: what other people implement or call. */
const DOCUMENTED = ['packages/zcash/src/', 'packages/sdk/src/', 'packages/server/src/ports/']

const METHOD = /^ {2}(?:static )?(?:async )?(?:get )?\*?(?!constructor|private)([a-z]\w*)(?:<[^\n]*>)?\(/gm

/** Whether a docstring ends before the offset. */
function isDocumented({ text }: Source, offset: number): boolean {
  return text.slice(0, offset).trimEnd().endsWith('*/')
}

test('every export of the libraries and the ports has a docstring', () => {
  const missing = sourcesIn(...DOCUMENTED).flatMap(source =>
    source.exports
      // A list of names exports what is documented at its declaration.
      .filter(({ offset }) => !source.code.startsWith('export {', offset) && !isDocumented(source, offset))
      .map(({ name, line }) => `${source.path}:${line} ${name}`),
  )
  none(missing)
})

test('every public method of an exported class of the libraries has a docstring', () => {
  const missing = sourcesIn('packages/zcash/src/', 'packages/sdk/src/').flatMap(source =>
    [...source.code.matchAll(/^export class [\s\S]*?^\}/gm)].flatMap(({ 0: text, index: start }) =>
      [...text.matchAll(METHOD)]
        .map(({ 1: name, index }) => ({ name, offset: start + index }))
        .filter(({ offset }) => !isDocumented(source, offset))
        .map(({ name, offset }) => `${source.path}:${lineOf(source.code, offset)} ${name}`),
    ),
  )
  none(missing)
})
