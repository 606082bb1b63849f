/** Opens the store that it is given, migrates it, and prints the steps that it took. */

import { openDatabase } from '../../../src/store/open.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'

const fail = (error: Error) => {
  throw error
}
const [url = ''] = process.argv.slice(2)
const database = openDatabase({ url, postgresConnections: 3, onFatal: fail, onIdleError: fail })
process.stdout.write(JSON.stringify((await migrate(database)).taken))
await database.close()
