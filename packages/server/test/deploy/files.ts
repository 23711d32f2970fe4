import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')

/** The absolute path of a file of the deployment. @param path from `deploy/` */
export function deployPath(path: string): string {
  return join(ROOT, 'deploy', path)
}

/** The text of a file of the deployment. */
export function deployText(path: string): string {
  return readFileSync(deployPath(path), 'utf8')
}

/** The version of the project. */
export function projectVersion(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
}
