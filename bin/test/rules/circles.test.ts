import { test } from 'node:test'
import { none, type Source, sourceAt, sources } from './sources.ts'

/** Here the types of a simulated world, of its processes and of its parts refer to one another. */
const MAY_SHARE_TYPES = 'packages/simulation/src/'

/** Each circle of imports once, as `a → b → a`; found by depth-first search. */
function circles(files: readonly Source[]): string[] {
  const found: string[] = []
  const done = new Set<string>()

  function visit(source: Source, trail: readonly string[]): void {
    const start = trail.indexOf(source.path)
    if (start >= 0) found.push([...trail.slice(start), source.path].join(' → '))
    if (start >= 0 || done.has(source.path)) return
    for (const { path, isType } of source.imports) {
      if (isType && source.path.startsWith(MAY_SHARE_TYPES)) continue
      const next = path === undefined ? undefined : sourceAt(path)
      if (next !== undefined) visit(next, [...trail, source.path])
    }
    done.add(source.path)
  }

  for (const source of files) visit(source, [])
  return found
}

test('no file imports itself through other files, outside the simulation not even for types', () => {
  none(circles(sources))
})
