import type { Database, Tx } from '../../src/store/database.ts'

/** The same store, with the rows that its statements returned and the statements themselves counted together. */
export function countingRows(store: Database): { database: Database; rows(): number } {
  let rows = 0
  const counted = (tx: Tx): Tx => ({
    ...tx,
    async run<Row extends object>(text: string, values: Parameters<Tx['run']>[1]) {
      const found = await tx.run<Row>(text, values)
      rows += 1 + found.length
      return found
    },
  })
  const database: Database = {
    ...store,
    read: (work) => store.read((tx) => work(counted(tx))),
    write: (work, options) => store.write((tx) => work(counted(tx)), options),
  }
  return { database, rows: () => rows }
}
