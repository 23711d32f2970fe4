import { VersionGraph } from '@start9labs/start-sdk'
import { current } from './current.ts'

export const versionGraph = VersionGraph.of({ current, other: [] })
