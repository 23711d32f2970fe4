import { IMPOSSIBLE, VersionInfo } from '@start9labs/start-sdk'

/**
 * The version of zatgate, and after the colon the revision of this package. zatgate migrates its database when it
 * starts, and an older version refuses a newer database.
 */
export const current = VersionInfo.of({
  version: '0.1.0:0',
  releaseNotes: { en_US: 'The first version.' },
  migrations: { up: async () => {}, down: IMPOSSIBLE },
})
