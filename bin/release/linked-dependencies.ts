import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the packages of the workspace, whose links are relative. */
const SCOPE = '@zatgate'
/** By which npm and the launcher know what is installed. */
const INSTALLED = '.package-lock.json'

/**
 * Gives a clone the dependencies that are installed in a checkout, by links. Its own packages are those of the clone. The
 * folders are no links: git would not ignore them.
 */
export function linkDependencies(root: string, clone: string): void {
  linkFolder(root, clone, 'node_modules')
  for (const name of readdirSync(join(clone, 'packages')))
    linkFolder(root, clone, join('packages', name, 'node_modules'))
}

function linkFolder(root: string, clone: string, folder: string): void {
  const [from, to] = [join(root, folder), join(clone, folder)]
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === INSTALLED) cpSync(join(from, name), join(to, name))
    else if (name === SCOPE) cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}
