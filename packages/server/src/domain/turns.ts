/**
 * Takes up to `limit` items so that all groups take turns: the first of each group, then the second of each, in their
 * order.
 */
export function takeTurns<T>(items: readonly T[], groupOf: (item: T) => number, limit: number): T[] {
  const groups = [...Map.groupBy(items, groupOf).values()]
  const taken: T[] = []
  for (let turn = 0; taken.length < limit && groups.some(group => turn < group.length); turn++)
    for (const group of groups) {
      const item = group[turn]
      if (item !== undefined && taken.length < limit) taken.push(item)
    }
  return taken
}
