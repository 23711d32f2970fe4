import type { Change } from '../mutant.ts'

export const SCANNING: readonly Change[] = [
  {
    name: 'the addresses of the kernel are not compared with the plain path',
    file: 'adapters/zcash/worker.ts',
    in: 'deriveAddresses',
    find: '!== addressAt(sampled)',
    replace: '=== undefined',
    killedBy: { file: 'adapters/zcash/note-scanner.test.ts', test: 'an address that the kernel derives wrongly' },
  },
  {
    name: 'what the kernel computed before its fault is believed',
    file: 'adapters/zcash/note-scanner.ts',
    in: 'kernel',
    find: 'cache.clear()',
    replace: '',
    killedBy: {
      file: 'adapters/zcash/note-scanner.test.ts',
      test: 'what the kernel has not found before its fault is scanned again',
    },
  },
]
