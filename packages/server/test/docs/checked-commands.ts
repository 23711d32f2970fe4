import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { EXAMPLE, substitute } from '../deploy/compose.ts'
import { deployText, projectVersion } from '../deploy/files.ts'
import { ROOT } from '../harness/guide.ts'
import { checkSyntax } from './guide.ts'

/** Checks what can be checked of commands for Docker without it: their syntax, and what they name. */
export function checkDockerBlock(text: string): void {
  checkSyntax(text)
  for (const [, file = ''] of text.matchAll(/ -f (\S+)/g)) assert.ok(existsSync(join(ROOT, file)), file)
  for (const [, version] of text.matchAll(/\bzatgate:(\d\S*)/g)) assert.equal(version, projectVersion())
  const { services, secrets } = parse(substitute(deployText('compose/compose.yaml'), EXAMPLE), { merge: true })
  for (const [, service = ''] of text.matchAll(
    /docker compose (?:exec|stop|up|restart|logs)(?: -\S+)* (?:--scale )?([a-z]+)/g,
  ))
    assert.ok(service in services, service)
  for (const [, secret = ''] of text.matchAll(/> secrets\/(\w+)/g)) assert.ok(secret in secrets, secret)
}
