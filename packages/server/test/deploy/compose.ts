import assert from 'node:assert/strict'
import { deployText } from './files.ts'

/** Variables that umbrelOS sets before it runs compose. */
export const UMBREL = {
  APP_PASSWORD: 'the-password-that-umbrel-derives',
  APP_DATA_DIR: '/umbrel/app-data',
  APP_PROXY_PORT: '3470',
  DEVICE_DOMAIN_NAME: 'umbrel.local',
  NETWORK_IP: '10.21.0.0',
} as const

/** The settings in a file like `.env.example`. @param path from `deploy/` */
function exampleOf(path: string): Readonly<Record<string, string>> {
  const lines = deployText(path).split('\n')
  return Object.fromEntries(
    lines
      .filter(line => /^\w+=/.test(line))
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** The settings in `.env.example`, for many processes. */
export const EXAMPLE = exampleOf('compose/.env.example')

/** The settings in `.env.example`, for one machine. */
export const ONE_MACHINE_EXAMPLE = exampleOf('one-machine/.env.example')

/** Replaces the variables of a compose file, as compose does. @throws when one is neither set nor has a default */
export function substitute(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
    const value = values[name] ?? (kind === '-' ? rest : undefined)
    assert.notEqual(value, undefined, `${name} is not set`)
    return value as string
  })
}

/** Every compose file, with its variables replaced. */
export function composeFiles(): readonly { readonly name: string; readonly text: string }[] {
  return [
    { name: 'compose/compose.yaml', text: substitute(deployText('compose/compose.yaml'), EXAMPLE) },
    {
      name: 'one-machine/compose.yaml',
      text: substitute(deployText('one-machine/compose.yaml'), ONE_MACHINE_EXAMPLE),
    },
    ...['zatgate-server', 'zatgate-mail'].map(app => {
      const name = `umbrel/${app}/docker-compose.yml`
      return { name, text: substitute(deployText(name), UMBREL) }
    }),
  ]
}
