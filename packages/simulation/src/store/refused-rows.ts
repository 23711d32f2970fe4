/** The message of the database for a write of a row that it refuses, as a broken constraint or index does. */
export const REFUSED_ROW = 'the database refuses this row'

/** Whether the database refuses to write the row. @param reference see `WRITES` */
export type RefusesRow = (table: string, reference: string) => boolean

/** The refused writes, and what names a row for good: ids of lost rows are reused. Payments go by their invoice. */
const WRITES: Readonly<Record<string, { readonly on: string; readonly reference: string }>> = {
  invoices: { on: 'UPDATE', reference: 'OLD.public_id' },
  deliveries: { on: 'UPDATE', reference: 'OLD.public_id' },
  payments: { on: 'INSERT', reference: '(SELECT public_id FROM main.invoices WHERE id = NEW.invoice_id)' },
}

/** Temporary triggers that let the database refuse to write single rows. They call `row_refused`, which returns 1 or 0. */
export function refusalTriggers(tables: readonly string[]): string[] {
  return Object.entries(WRITES)
    .filter(([table]) => tables.includes(table))
    .map(
      ([table, { on, reference }]) =>
        `CREATE TEMP TRIGGER "${table}_refused" BEFORE ${on} ON main."${table}" WHEN row_refused('${table}', ${reference}) ` +
        `BEGIN SELECT RAISE(ABORT, '${REFUSED_ROW}'); END`,
    )
}
