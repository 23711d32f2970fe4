import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { composeFiles } from '../deploy/compose.ts'
import { projectVersion } from '../deploy/files.ts'
import { ROOT } from '../harness/guide.ts'
import { checkSyntax } from './guide.ts'

/**
 * Checks what can be checked of commands for Docker without it: their syntax, and what they name.
 * @param file the compose file, from `deploy/`
 */
export function checkDockerBlock(text: string, file = 'compose/compose.yaml'): void {
  checkSyntax(text)
  for (const [, path = ''] of text.matchAll(/docker buildx .* -f (\S+)/g)) assert.ok(existsSync(join(ROOT, path)), path)
  for (const [, version] of text.matchAll(/\bzatgate:(\d\S*)/g)) assert.equal(version, projectVersion())
  const { services, secrets } = parse(composeFiles().find(({ name }) => name === file)?.text ?? '', { merge: true })
  for (const [, service = ''] of text.matchAll(
    /docker compose (?:exec|stop|up|restart|logs|cp)(?: -\S+)* (?:--scale )?([a-z]+)/g,
  ))
    assert.ok(service in services, service)
  for (const [, secret = ''] of text.matchAll(/> secrets\/(\w+)/g)) assert.ok(secret in secrets, secret)
}
