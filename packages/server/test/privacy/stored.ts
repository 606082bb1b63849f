import { existsSync, readFileSync } from 'node:fs'
import { getTableName } from 'drizzle-orm'
import { brokenEntries, unevenWallets } from '../../src/money/index.ts'
import type { ReadOnlyDatabase } from '../../src/store/database.ts'
import { tables } from '../../src/store/schema/schema.ts'

export async function rowsOf({ database }: { database: ReadOnlyDatabase }, table: string): Promise<number> {
  const [row] = await database.read(({ run }) => run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, []))
  return row?.n ?? 0
}

/** Whether every wallet agrees with its entries and its messages under way, as the doctor sees it. */
export function booksBalance(database: ReadOnlyDatabase): Promise<boolean> {
  return database.read(
    async (tx) => (await brokenEntries(tx, 1)).length + (await unevenWallets(tx, 1)).length === 0,
  )
}

/** The tables in which some row holds one of the texts, however it is written. */
export async function tablesWith(database: ReadOnlyDatabase, ...texts: string[]): Promise<string[]> {
  const found: string[] = []
  for (const table of Object.values(tables)) {
    const name = getTableName(table)
    const rows = await database.read(({ run }) => run(`SELECT * FROM ${name}`, []))
    const all = JSON.stringify(rows)
    if (texts.some((text) => all.includes(text))) found.push(name)
  }
  return found.sort()
}

/** Which of the texts stand in the bytes of a database's files: the file, its log and its index. */
export function textsInFiles(path: string, ...texts: string[]): string[] {
  const bytes = ['', '-wal', '-shm']
    .map((end) => `${path}${end}`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file))
  return texts.filter((text) => bytes.some((each) => each.includes(text)))
}
