import { parseSync } from 'rolldown/utils'
import type { Change } from './mutant.ts'

/** The range of a declaration in the source. */
interface Range {
  readonly start: number
  readonly end: number
}

/** A node of the syntax tree. `id` names a declaration, `key` a member. */
interface Node extends Range {
  readonly id?: { readonly name?: string } | null
  readonly key?: { readonly name?: string } | null
  readonly declarations?: readonly Node[]
}

/**
 * The source with the change.
 * @throws Error when its place does not occur exactly once, or the result cannot be parsed
 */
export function mutate(source: string, { name, file, in: place, find, replace }: Change): string {
  const ranges = declarationsOf(parse(source, file), place)
  const found = indexesOf(source, find).filter(index =>
    ranges.some(({ start, end }) => start <= index && index + find.length <= end),
  )
  const [index] = found
  if (index === undefined || found.length > 1)
    throw new Error(`${name}: ${file} has this text ${found.length} times in ${place}, not once:\n${find}`)
  const mutated = source.slice(0, index) + replace + source.slice(index + find.length)
  parse(mutated, `${file} with "${name}"`)
  return mutated
}

/** @param file for the message only */
function parse(source: string, file: string): Node {
  const { program, errors } = parseSync('source', source, { lang: 'ts' })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  return program as unknown as Node
}

/** Where this name is declared. A function with overloads, or of several objects, is declared more than once. */
function declarationsOf(node: Node, name: string): Range[] {
  const isNamed = ({ id, key }: Node) => (id ?? key)?.name === name
  const nested = Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null)
    .flatMap(child => declarationsOf(child, name))
  // A constant includes its keyword.
  return isNamed(node) || node.declarations?.some(isNamed) ? [node, ...nested] : nested
}

function indexesOf(text: string, part: string): number[] {
  const indexes: number[] = []
  for (let index = text.indexOf(part); index >= 0; index = text.indexOf(part, index + 1)) indexes.push(index)
  return indexes
}
