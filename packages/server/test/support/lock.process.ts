/** Holds the write lock of an SQLite file, or all its locks, until its standard input ends. Says when it has it. */
import Sqlite from 'better-sqlite3'

const [path = '', keepsOut] = process.argv.slice(2)
const client = new Sqlite(path)
if (keepsOut === 'readers') client.pragma('locking_mode = EXCLUSIVE')
client.exec('BEGIN IMMEDIATE')
process.stdout.write('locked\n')
process.stdin.resume().on('end', () => {
  client.exec('ROLLBACK')
  client.close()
})
