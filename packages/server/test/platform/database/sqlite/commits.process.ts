/** Commits often enough for a thread that checkpoints, and leaves the database open. */
import { SqliteDatabase } from '../../../../src/store/sqlite/sqlite.ts'

const [, , path = '', commits] = process.argv
const database = new SqliteDatabase({
  path,
  onFatal(error) {
    throw error
  },
})
await database.write(({ run }) => run('CREATE TABLE numbers (n INTEGER PRIMARY KEY)', []))
for (let n = 0; n < Number(commits); n++)
  await database.write(({ run }) => run('INSERT INTO numbers VALUES ($1)', [n]))
// The thread has begun, and answers.
await new Promise((resolve) => setTimeout(resolve, 1_000))
await database.write(({ run }) => run('INSERT INTO numbers VALUES ($1)', [-1]))
