import type { Catalogue } from '../run/catalogue.ts'
import type { FixedDefect, Measurement, MutantRecord } from './records.ts'
import { INTRODUCTION, NOT_COVERED, THEMES } from './texts.ts'

/** The contents of the document. */
export interface Evidence {
  /** The judge's rules by part. */
  readonly rules: Readonly<Record<string, readonly string[]>>
  readonly catalogue: Catalogue
  readonly measurement: Measurement | null
  readonly mutants: MutantRecord | null
  /** The theme of each mutant, in the order of the list. */
  readonly mutantThemes: Readonly<Record<string, string>>
  readonly defects: readonly FixedDefect[]
}

/** The document `docs/evidence.md`. */
export function evidenceDocument(evidence: Evidence): string {
  const sections = [
    INTRODUCTION,
    rulesSection(evidence),
    faultsSection(evidence),
    resultsSection(evidence),
    mutantsSection(evidence),
    defectsSection(evidence),
    NOT_COVERED,
  ]
  return `${sections.join('\n\n')}\n`
}

function rulesSection({ rules }: Evidence): string {
  const parts = Object.entries(rules).sort(([a], [b]) => orderOf(a) - orderOf(b))
  const count = parts.reduce((sum, [, list]) => sum + list.length, 0)
  return `## What must hold

${count} rules. Each is checked after every commit, or after the last fault.

| theme | rules |
|---|---|
${parts.map(([part, list]) => `| ${titleOf(part)} | ${list.map(escaped).join('; ')} |`).join('\n')}`
}

function faultsSection({ catalogue: { faults }, measurement }: Evidence): string {
  const parts = Map.groupBy(faults, ({ part }) => part)
  const described = (name: string, fault: string) => {
    const seeds = measurement?.actions[name]
    return seeds === undefined ? escaped(fault) : `${escaped(fault)} (${numeral(seeds)})`
  }
  const rows = [...parts]
    .sort(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([part, list]) => `| ${titleOf(part)} | ${list.map(({ name, fault }) => described(name, fault)).join('; ')} |`)
  return `## What goes wrong on purpose

${faults.length} faults, each with the number of recorded seeds in which it took effect. \`npm run simulate -- --faults list\` lists them with their actions.

| theme | faults |
|---|---|
${rows.join('\n')}`
}

function resultsSection({ measurement, mutants, catalogue }: Evidence): string {
  const lines: string[] = []
  if (measurement) {
    const { runs, seeds, secs, simulatedHours, transitions } = measurement
    const missing = catalogue.transitions.filter(transition => transitions[transition] === undefined)
    lines.push(
      `- ${numeral(seeds)} seeds in ${numeral(runs)} runs, ${(seeds / secs).toFixed(1)} a second, ${numeral(simulatedHours)} simulated hours: every rule held.`,
      `- ${Object.keys(transitions).length} state transitions were taken. Possible, but never taken: ${missing.map(escaped).join(', ') || 'none'}.`,
    )
  }
  if (mutants) {
    const seeds = Object.values(mutants)
    const found = seeds.filter(seed => seed !== null)
    lines.push(
      `- ${found.length} of ${seeds.length} mutants were found, half of them within ${numeral(median(found))} seeds. A mutant is a deliberate bug of the kind that loses money, put into the service for the run: \`npm run mutants\`.`,
    )
  }
  return `## Results\n\n${lines.join('\n') || 'None recorded yet.'}`
}

function mutantsSection({ mutants, mutantThemes }: Evidence): string {
  const byTheme = Map.groupBy(Object.entries(mutantThemes), ([, theme]) => theme)
  const seedOf = (name: string) => {
    const seed = mutants?.[name]
    return seed === undefined ? 'not run' : seed === null ? '**not found**' : numeral(seed)
  }
  const rows = [...byTheme].map(
    ([theme, list]) => `| ${theme} | ${list.map(([name]) => `${escaped(name)} (${seedOf(name)})`).join('; ')} |`,
  )
  return `## Mutants found

Each with the seed that found it.

| theme | mutants |
|---|---|
${rows.join('\n')}`
}

function defectsSection({ defects }: Evidence): string {
  if (defects.length === 0) return '## Defects found\n\nNone recorded yet.'
  const rows = defects.map(({ wrong, rule, fixedBy }) => `| ${escaped(wrong)} | ${escaped(rule)} | ${fixedBy} |`)
  return `## Defects found

The seeds in \`packages/simulation/seeds\` once failed, and \`npm test\` replays them.

| defect | broken rule | fixed by |
|---|---|---|
${rows.join('\n')}`
}

function orderOf(part: string): number {
  const index = Object.keys(THEMES).indexOf(part)
  return index < 0 ? Number.MAX_SAFE_INTEGER : index
}

function titleOf(part: string): string {
  return THEMES[part] ?? part
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

function numeral(value: number): string {
  return value.toLocaleString('en')
}
