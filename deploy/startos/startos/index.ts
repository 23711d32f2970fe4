import { buildManifest } from '@start9labs/start-sdk'
import { manifest as definition } from './manifest/index.ts'
import { versionGraph } from './versions/index.ts'

/** The functions that StartOS calls. */
export { actions } from './actions/index.ts'
export { createBackup } from './backups.ts'
export { init, uninit } from './init.ts'
export { main } from './main.ts'
export const manifest = buildManifest(versionGraph, definition)
