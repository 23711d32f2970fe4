import type { Catalogue } from '../run/catalogue.ts'
import type { FixedDefect } from './defects.ts'
import type { Measured } from './measured.ts'
import { introduction, NOT_COVERED, THEMES } from './texts.ts'

/** The contents of the document. */
export interface Evidence {
  /** The judge's rules by part. */
  readonly rules: Readonly<Record<string, readonly string[]>>
  readonly catalogue: Catalogue
  /** The day of the run: YYYY-MM-DD. */
  readonly date: string
  readonly measured: Measured
  /** The mutants that the simulation must find. */
  readonly mutants: readonly { readonly name: string; readonly theme: string }[]
  readonly defects: readonly FixedDefect[]
}

/** The document `docs/evidence.md`. */
export function evidenceDocument(evidence: Evidence): string {
  const sections = [
    introduction(evidence.measured.commit, evidence.date),
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

${parts.map(([part, list]) => folded(titleOf(part), list)).join('\n')}`
}

function faultsSection({ catalogue: { faults }, measured }: Evidence): string {
  const parts = Map.groupBy(faults, ({ part }) => part)
  const described = (name: string, fault: string) => `${fault} (${numeral(measured.seeds.actions[name] ?? 0)})`
  const lists = [...parts]
    .sort(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([part, list]) =>
      folded(
        titleOf(part),
        list.map(({ name, fault }) => described(name, fault)),
      ),
    )
  return `## What goes wrong on purpose

${faults.length} faults, each with the number of seeds in which it took effect. \`npm run simulate -- --faults list\` lists them with their actions.

${lists.join('\n')}`
}

function resultsSection({ measured, mutants, catalogue }: Evidence): string {
  const { first, count, secs, simulatedHours, transitions } = measured.seeds
  const missing = catalogue.transitions.filter(transition => transitions[transition] === undefined)
  const found = mutants.map(({ name }) => measured.mutants[name]).filter(seeds => typeof seeds === 'number')
  return `## Results

- ${numeral(count)} seeds from ${first} on, ${(count / secs).toFixed(1)} a second, ${numeral(simulatedHours)} simulated hours: every rule held.
- ${Object.keys(transitions).length} state transitions were taken. Possible, but never taken: ${missing.join(', ') || 'none'}.
- ${found.length} of ${mutants.length} mutants were found, half of them within ${numeral(median(found))} seeds. A mutant is a deliberate bug of the kind that loses money, put into the service for the run.`
}

function mutantsSection({ measured, mutants }: Evidence): string {
  const byTheme = Map.groupBy(mutants, ({ theme }) => theme)
  const described = ({ name }: { readonly name: string }) => {
    const seeds = measured.mutants[name]
    return `${name} (${typeof seeds === 'number' ? numeral(seeds) : '**not found**'})`
  }
  const lists = [...byTheme].map(([theme, list]) => folded(theme, list.map(described)))
  return `## Mutants found

Each mutant with the number of seeds that were run, from seed 1 on, until one found it.

${lists.join('\n')}`
}

function defectsSection({ defects }: Evidence): string {
  const rows = defects.map(({ wrong, rule, fixedBy }) => `| ${escaped(wrong)} | ${escaped(rule)} | ${fixedBy} |`)
  return `## Defects found

The seeds in \`packages/simulation/seeds.jsonl\` once failed, and \`npm test\` replays them.

| defect | broken rule | fixed by |
|---|---|---|
${rows.join('\n')}`
}

/** A list behind its title and its length. */
function folded(title: string, items: readonly string[]): string {
  return `<details><summary>${title}: ${items.length}</summary>

${items.map(item => `- ${item}`).join('\n')}

</details>`
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
