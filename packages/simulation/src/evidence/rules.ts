import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, '..')
/** The first argument of a report, or a rule that several reports share. */
const RULE = /(?:\b|#)(?:fail\(|rule = |rule: )\s*(['"`])((?:(?!\1)[^\\\n$]|\\.)+)\1/g
/** Reports about the simulation itself, which promise nothing. */
const NOT_PROMISED = new Set(['the simulation itself fails'])

/** The rules that the judge checks, by the folder of `parts` whose sources report them; '' for all other sources. */
export function readRules(): Map<string, string[]> {
  const rules = new Map<string, string[]>()
  for (const file of globSync('**/*.ts', { cwd: SOURCES }).sort()) {
    if (file.startsWith('evidence')) continue
    const [, part = ''] = /^parts[/\\]([\w-]+)[/\\]/.exec(file) ?? []
    const known = rules.get(part) ?? []
    rules.set(part, known)
    for (const { 2: rule = '' } of readFileSync(join(SOURCES, file), 'utf8').matchAll(RULE))
      if (!known.includes(rule) && !NOT_PROMISED.has(rule)) known.push(rule)
  }
  return rules
}
