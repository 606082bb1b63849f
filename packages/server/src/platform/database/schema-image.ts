import { loadedOnce } from '../loaded-once.ts'
import { migrate } from './migrate.ts'
import { openSqlite } from './sqlite/sqlite.ts'

/**
 * An SQLite database that has the schema and no rows, as bytes, made once a process. A sandbox for each test opens a copy,
 * since making the schema is most of what opening one takes. A copy in memory holds a gigabyte at most.
 */
export const schemaImage = loadedOnce(async () => {
  const database = openSqlite({
    path: ':memory:',
    onFatal(error) {
      throw error
    },
  })
  try {
    await migrate(database)
    return database.image()
  } finally {
    await database.close()
  }
})
