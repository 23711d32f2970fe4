// Builds the published form of the SDK and of the Zcash library, each in its folder `dist`: npm run packages
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { type Manifest, publishedManifest } from './manifest.ts'

export const PUBLISHED = ['sdk', 'zcash']

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TARGET = 'node18'
const RELATIVE_TS = /((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g

/**
 * Builds `packages/<name>` into its folder `dist`, which is packed and published: ES modules, CommonJS, declarations with
 * maps, the sources that the maps point to, and its own package.json. The source tree runs without a build.
 *
 * @returns the path of `dist`
 */
export async function buildPackage(name: string): Promise<string> {
  const source = join(ROOT, 'packages', name)
  const dist = join(source, 'dist')
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist)
  const data = Object.values(manifest.exports).filter(path => !path.endsWith('.ts'))
  const files = ['package.json', 'README.md', 'src', ...data]
  for (const file of files) cpSync(join(source, file), join(dist, file), { recursive: true })
  cpSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
  await bundle(dist, manifest)
  declare(dist)
  writeJson(join(dist, 'package.json'), publishedManifest(manifest))
  return dist
}

async function bundle(dist: string, manifest: Manifest): Promise<void> {
  const src = join(dist, 'src')
  const files = globSync('**/*.ts', { cwd: src })
  const input = Object.fromEntries(files.map(file => [file.slice(0, -'.ts'.length), join(src, file)]))
  const dependencies = Object.keys(manifest.dependencies ?? {})
  const isOneOf = (names: readonly string[]) => (id: string) =>
    /^(#|node:)/.test(id) || names.some(name => id === name || id.startsWith(`${name}/`))
  const shared = { input, platform: 'neutral', transform: { target: TARGET } } as const

  const esm = await rolldown({ ...shared, external: isOneOf(dependencies) })
  const modules = { preserveModules: true, preserveModulesRoot: src, sourcemap: true } as const
  await esm.write({ ...modules, dir: join(dist, 'esm'), format: 'esm', entryFileNames: '[name].js' })
  await esm.close()

  // Not every Node can require ES modules: dependencies without CommonJS become part of the files.
  const cjs = await rolldown({
    ...shared,
    external: isOneOf(dependencies.filter(name => hasCommonJs(name, join(dist, 'package.json')))),
  })
  const names = { entryFileNames: '[name].cjs', chunkFileNames: 'shared/[name]-[hash].cjs' }
  await cjs.write({ ...names, dir: join(dist, 'cjs'), format: 'cjs', sourcemap: true })
  await cjs.close()
}

function hasCommonJs(name: string, importer: string): boolean {
  const path = findPackageJSON(name, pathToFileURL(importer)) as string
  const { type, exports } = JSON.parse(readFileSync(path, 'utf8'))
  return type !== 'module' || JSON.stringify(exports ?? {}).includes('"require"')
}

/** Writes the declarations of the ES modules, and copies of them for CommonJS. */
function declare(dist: string): void {
  const config = join(dist, 'tsconfig.json')
  writeJson(config, {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, declaration: true, declarationMap: true, emitDeclarationOnly: true },
      ...{ rootDir: 'src', outDir: 'esm' },
      // No later library than the oldest supported runtime has.
      ...{ lib: ['es2022', 'dom', 'dom.asynciterable'], types: ['node'] },
    },
    include: ['src'],
    exclude: [],
  })
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config], { stdio: 'inherit' })
  rmSync(config)
  for (const file of globSync('esm/**/*.d.ts', { cwd: dist })) {
    const text = readFileSync(join(dist, file), 'utf8')
    const commonJs = join(dist, file.replace(/^esm/, 'cjs').replace(/\.ts$/, '.cts'))
    mkdirSync(dirname(commonJs), { recursive: true })
    writeFileSync(join(dist, file), text.replace(RELATIVE_TS, '$1.js'))
    writeFileSync(commonJs, text.replace(RELATIVE_TS, '$1.cjs').replace(/\.d\.ts\.map$/m, '.d.cts.map'))
    cpSync(join(dist, `${file}.map`), `${commonJs}.map`)
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
