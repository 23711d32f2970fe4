import { buildPackage, PUBLISHED } from './build.ts'

for (const name of PUBLISHED) console.error(`built ${await buildPackage(name)}`)
