/** A function that finds the names of tables in a statement, after these words. */
export function tableNames(words: string): (sql: string) => readonly string[] {
  const pattern = new RegExp(`\\b(?:${words})\\s+"?([a-z_]+)`, 'gi')
  const known = new Map<string, readonly string[]>()
  return sql => {
    let names = known.get(sql)
    if (!names) {
      names = [...sql.matchAll(pattern)].map(([, name]) => name!)
      known.set(sql, names)
    }
    return names
  }
}

/** The tables that a statement writes. */
export const writtenTables = tableNames('insert into|update|delete from')
