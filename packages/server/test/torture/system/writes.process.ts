/** Writes one number after the other to an SQLite file, and says each when it is committed. Ends when the disk fails. */
import { SqliteDatabase } from '../../../src/store/sqlite/sqlite.ts'

const database = new SqliteDatabase({
  path: process.argv[2] ?? '',
  onFatal(error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  },
})
await database.write(({ run }) => run('CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY)', []))
for (let n = 1; ; n++) {
  await database.write(({ run }) => run('INSERT INTO numbers VALUES ($1)', [n]))
  process.stdout.write(`${n}\n`)
  // Lets what the thread has to say come in.
  if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
}
