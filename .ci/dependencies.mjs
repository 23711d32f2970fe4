// Checks the locked production dependencies: node .ci/dependencies.mjs SBOM_FILE
// Their licences, known advisories where the registry answers, and a CycloneDX list of them in SBOM_FILE.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'])
const TIMEOUT_MS = 60_000

/** The packages of package-lock.json that an installation without development tools contains, by path. */
export function productionPackages(lock) {
  return Object.entries(lock.packages).filter(
    ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.dev,
  )
}

/** The packages without an allowed licence. Of licences joined by OR one must be allowed, of those joined by AND all. */
export function licenceProblems(lock) {
  const isAllowed = text => text.split(' OR ').some(choice => choice.split(' AND ').every(name => ALLOWED.has(name)))
  return productionPackages(lock)
    .filter(([, { license }]) => typeof license !== 'string' || !isAllowed(license.replace(/[()]/g, '')))
    .map(([path, { license = 'none' }]) => `${path}: licence ${license}`)
}

/**
 * Judges the output of `npm audit --json`.
 * @returns the advisories, one line each; `skipped` is the reason why there is no answer, else null
 */
export function auditResult(text) {
  let report
  try {
    report = JSON.parse(text)
  } catch {
    return { skipped: 'npm audit printed no JSON', advisories: [] }
  }
  if (!report.vulnerabilities || !report.metadata)
    return { skipped: String(report.message ?? report.error?.summary ?? 'no report').slice(0, 200), advisories: [] }
  const advisories = Object.values(report.vulnerabilities).map(
    ({ name, severity, via }) =>
      `${name}: ${severity}: ${via.map(item => (typeof item === 'string' ? `through ${item}` : `${item.title} ${item.url}`)).join('; ')}`,
  )
  return { skipped: null, advisories }
}

/**
 * Removes the development tools from a CycloneDX document. `npm sbom --omit=dev` is not used: it also leaves out
 * packages that both the service and a tool need.
 */
export function withoutTools(sbom, lock) {
  const tools = new Set(
    Object.entries(lock.packages).flatMap(([path, entry]) => (entry.dev ? purlOf(path, entry) : [])),
  )
  for (const [path, entry] of productionPackages(lock)) tools.delete(purlOf(path, entry))
  const removed = new Set(
    sbom.components.filter(({ purl }) => tools.has(decodeURIComponent(purl))).map(item => item['bom-ref']),
  )
  const kept = ref => !removed.has(ref)
  return {
    ...sbom,
    components: sbom.components.filter(item => kept(item['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => kept(ref))
      .map(item => ({ ...item, dependsOn: item.dependsOn.filter(kept) })),
  }
}

/** The locked packages that a CycloneDX document lacks. */
export function sbomProblems(sbom, lock) {
  const listed = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)))
  return productionPackages(lock)
    .filter(([, { optional, devOptional }]) => !optional && !devOptional)
    .map(([path, entry]) => purlOf(path, entry))
    .filter(purl => !listed.has(purl))
    .map(purl => `${purl} is not listed`)
}

function purlOf(path, { version }) {
  return `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`
}

function npm(...args) {
  const options = { cwd: ROOT, encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }
  return spawnSync('npm', [...args, '--package-lock-only', '--loglevel=silent'], options).stdout ?? ''
}

function main(file) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const sbom = withoutTools(JSON.parse(npm('sbom', '--sbom-format=cyclonedx')), lock)
  writeFileSync(file, JSON.stringify(sbom, null, 2))
  const { skipped, advisories } = auditResult(npm('audit', '--json', '--omit=dev'))
  const problems = [...licenceProblems(lock), ...sbomProblems(sbom, lock), ...advisories]
  const lines = [
    `licences: ${productionPackages(lock).length} production packages`,
    `SBOM: ${sbom.components.length} components in ${file}`,
    skipped === null ? `advisories: ${advisories.length}` : `advisories: skipped: ${skipped}`,
    ...problems,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return problems.length === 0 ? 0 : 1
}

if (process.argv[1] === import.meta.filename) {
  const [file] = process.argv.slice(2)
  if (!file) process.stderr.write('usage: node .ci/dependencies.mjs SBOM_FILE\n')
  process.exitCode = file ? main(file) : 2
}
