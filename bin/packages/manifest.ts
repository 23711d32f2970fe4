/** A package.json of the source tree, whose `exports` and `imports` name TypeScript files. */
export interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The package.json of the built package: the same, with built files for ES modules and for CommonJS. */
export function publishedManifest(manifest: Manifest): Record<string, unknown> {
  const { private: _, exports, imports, ...rest } = manifest
  const main = exports['.']
  return {
    ...rest,
    ...(main && { main: built(main, 'cjs'), module: built(main, 'esm'), types: declared(main, 'esm') }),
    exports: {
      ...mapValues(exports, path => (path.endsWith('.ts') ? bothFormats(path) : path)),
      './package.json': './package.json',
    },
    ...(imports && { imports: mapValues(imports, conditions => mapValues(conditions, bothFormats)) }),
    publishConfig: { access: 'public', provenance: true },
  }
}

type Format = 'esm' | 'cjs'

function bothFormats(path: string) {
  const inFormat = (format: Format) => ({ types: declared(path, format), default: built(path, format) })
  return { import: inFormat('esm'), require: inFormat('cjs') }
}

function built(path: string, format: Format): string {
  return inFolder(path, format).replace(/\.ts$/, format === 'esm' ? '.js' : '.cjs')
}

function declared(path: string, format: Format): string {
  return inFolder(path, format).replace(/\.ts$/, format === 'esm' ? '.d.ts' : '.d.cts')
}

function inFolder(path: string, format: Format): string {
  return path.replace(/^\.\/src\//, `./${format}/`)
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
