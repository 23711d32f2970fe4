import { existsSync } from 'node:fs'
import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../domain/error.ts'

/**
 * Creates a file that appears only once it is complete and flushed to the disk. Only the owner can read it. Until then
 * the content is in `<file>.partial`, which is removed when `write` fails.
 * @throws AppError `file_exists` when one of both exists: nothing is overwritten. `no_such_folder` when its folder does not
 */
export async function writeNewFile(
  file: string,
  write: (partial: { readonly path: string; readonly handle: FileHandle }) => Promise<void>,
): Promise<void> {
  // Writing may take minutes. The link at the end checks again.
  if (existsSync(file)) throw fileExistsError(file)
  if (!existsSync(dirname(file))) throw new AppError('no_such_folder', { value: dirname(file) })
  const path = `${file}.partial`
  const handle = await open(path, 'wx', 0o600).catch(throwIfExists(partialExistsError(path)))
  try {
    await write({ path, handle })
    await handle.sync()
    await link(path, file).catch(throwIfExists(fileExistsError(file)))
    await syncDirectory(dirname(file))
  } finally {
    await handle.close()
    await rm(path, { force: true })
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function throwIfExists(exists: AppError): (error: unknown) => never {
  return error => {
    throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? exists : error
  }
}

function fileExistsError(file: string): AppError {
  return new AppError('file_exists', { value: file })
}

function partialExistsError(file: string): AppError {
  return new AppError('partial_file_exists', { value: file })
}
