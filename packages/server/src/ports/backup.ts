/** When the newest backup of the database was made, in Unix seconds; null: there is none. */
export type NewestBackup = () => Promise<number | null>
