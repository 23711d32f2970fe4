import type { Page } from '../ports/repository/page.ts'

interface ListPage<T> {
  readonly items: readonly T[]
  /** Public id of the last item if there are older ones, otherwise null. */
  readonly olderThan: string | null
}

interface ListOptions<T> {
  /** Maximum number of items on a page. */
  readonly size: number
  /** Public id from the link to this page. Undefined: the newest items. */
  readonly before: string | undefined
  readonly read: (page: Page) => Promise<readonly T[]>
  readonly publicId: (item: T) => string
}

/** Reads one page of a list, newest first. One extra item is read to learn whether there are older ones. */
export async function paginate<T>({ size, before, read, publicId }: ListOptions<T>): Promise<ListPage<T>> {
  const found = await read({ limit: size + 1, ...(before === undefined ? {} : { before: before.toLowerCase() }) })
  const items = found.slice(0, size)
  const last = items.at(-1)
  return { items, olderThan: last && found.length > size ? publicId(last) : null }
}
