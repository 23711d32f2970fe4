import { keep } from '../../../../bin/test/rules/lexer.ts'

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g
const INSERTED = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g

/** A call whose argument is a message, such as `log.warn(details, message)`. */
export interface MessageCall {
  /** Ends with the opening parenthesis. */
  readonly call: RegExp
  /** The position of the message among the arguments, from 0. */
  readonly argument: number
}

/**
 * The texts that appear in TypeScript source: literals, with those that `+` joins as one text, and `…` in place of each
 * inserted value.
 */
export function textsIn(source: string): string[] {
  const code = keep(source, 'code', 'string')
  const texts: string[] = []
  let end = -1
  for (const match of code.matchAll(LITERAL)) {
    const [literal, single, double, template] = match
    const text = (single ?? double ?? template ?? '').replace(INSERTED, '…').replaceAll(/\\(.)/g, '$1')
    const isJoined = end >= 0 && /^\s*\+\s*$/.test(code.slice(end, match.index))
    if (isJoined) texts.push(texts.pop() + text)
    else texts.push(text)
    end = match.index + literal.length
  }
  return texts
}

/** The messages that the calls of a source file pass on. A call without a literal has no messages. */
export function messagesIn(source: string, calls: readonly MessageCall[]): string[] {
  const code = keep(source, 'code')
  return calls.flatMap(({ call, argument }) =>
    [...code.matchAll(new RegExp(call, 'g'))].flatMap(({ 0: head, index }) => {
      const [from, to] = argumentSpans(code, index + head.length)[argument] ?? [0, 0]
      return textsIn(source.slice(from, to))
    }),
  )
}

/** The start and end of each argument of a call. @param from after the opening parenthesis */
function argumentSpans(code: string, from: number): [start: number, end: number][] {
  const spans: [number, number][] = []
  let depth = 0
  let start = from
  for (let at = from; at < code.length; at++) {
    const char = code[at] as string
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char)) depth--
    if (depth < 0 || (depth === 0 && char === ',')) {
      spans.push([start, at])
      start = at + 1
    }
    if (depth < 0) break
  }
  return spans
}
