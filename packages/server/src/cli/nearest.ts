/** The name that a mistyped one probably means; undefined when none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map(name => ({ name, distance: editDistance(typed, name) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] as number) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1))
    }
    previous = current
  }
  return previous[b.length] as number
}
