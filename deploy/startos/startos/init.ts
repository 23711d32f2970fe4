import { randomBytes } from 'node:crypto'
import { createAccount } from './actions/create-account.ts'
import { actions } from './actions/index.ts'
import { setPublicUrl } from './actions/set-public-url.ts'
import { restoreInit } from './backups.ts'
import { setInterfaces } from './interfaces.ts'
import { sdk } from './sdk.ts'
import { settingsFile } from './settings.ts'
import { versionGraph } from './versions/index.ts'

/** Generates the key that encrypts the secrets in the database. It is never replaced: `wx` fails if there is one. */
const createSecrets = sdk.setupOnInit(async (effects, kind) => {
  if (kind !== 'install') return
  const key = randomBytes(32).toString('base64')
  await sdk.volumes.secrets.writeFile('encryption_key', key, { flag: 'wx', mode: 0o600 })
  await settingsFile.merge(effects, {})
  await sdk.action.createOwnTask(effects, setPublicUrl, 'important', {
    reason: 'Links in pages and mails lead to this address.',
  })
  await sdk.action.createOwnTask(effects, createAccount, 'important', {
    reason: 'Only accounts that you create can sign in.',
  })
})

export const init = sdk.setupInit(restoreInit, versionGraph, createSecrets, setInterfaces, actions)
export const uninit = sdk.setupUninit(versionGraph)
