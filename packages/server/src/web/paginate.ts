import type { Page } from '../ports/repository/page.ts'

/** The place of a page in its list, as its link names it: below or above a row. */
export interface Place {
  readonly before?: string | undefined
  readonly after?: string | undefined
}

interface ListPage<T> {
  readonly items: readonly T[]
  readonly newer: Place | null
  readonly older: Place | null
}

interface ListOptions<T> {
  /** Maximum number of items on a page. */
  readonly size: number
  /** The names of a row in the link to this page. Without one: the newest items. */
  readonly place: Place
  readonly read: (page: Page) => Promise<readonly T[]>
  /** Names a row in links. */
  readonly idOf: (item: T) => string
}

/** Reads one page of a list, newest first. One extra item is read to learn whether there are more. */
export async function paginate<T>(options: ListOptions<T>): Promise<ListPage<T>> {
  const { size, read, idOf, place } = options
  const after = place.after?.toLowerCase()
  const before = after === undefined ? place.before?.toLowerCase() : undefined
  const limit = size + 1
  if (after !== undefined) {
    const found = await read({ limit, after })
    // The first page is full, and has what came meanwhile.
    if (found.length <= size) return paginate({ ...options, place: {} })
    const items = found.slice(-size)
    return { items, newer: { after: idOf(items[0] as T) }, older: { before: idOf(items.at(-1) as T) } }
  }
  const found = await read({ limit, ...(before !== undefined && { before }) })
  const items = found.slice(0, size)
  const [first, last] = [items[0], items.at(-1)]
  return {
    items,
    newer: before === undefined ? null : first === undefined ? {} : { after: idOf(first) },
    older: last !== undefined && found.length > size ? { before: idOf(last) } : null,
  }
}

/** The links to the pages before and after one. @param filter other parameters of the list, without empty ones */
export function pagerLinks(
  path: string,
  { newer, older }: Pick<ListPage<unknown>, 'newer' | 'older'>,
  filter: Readonly<Record<string, string>> = {},
  anchor = '',
): { readonly newer: string | null; readonly older: string | null } {
  const linkTo = (place: Place | null) => place && listLink(path, { ...filter, ...place }, anchor)
  return { newer: linkTo(newer), older: linkTo(older) }
}

/** The address of a list with these parameters, without empty ones. */
export function listLink(path: string, parameters: Readonly<Record<string, string | undefined>>, anchor = ''): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1])
  const query = new URLSearchParams(given).toString()
  return `${query === '' ? path : `${path}?${query}`}${anchor}`
}

/** The number of a row in the link to a page. Anything else shows the newest rows. */
export function numberIn(text = ''): string | undefined {
  return /^\d{1,15}$/.test(text) ? text : undefined
}

export function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
