/** Signs in as its one argument says, and prints what came of it. */
import { randomBytes } from 'node:crypto'
import { createTicketMaker } from '../../src/domain/ids.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openDatabase } from '../../src/platform/database/open.ts'
import { createPasswordQueue } from '../../src/portal/passwords/password-queue.ts'
import { createCheckPassword } from '../../src/portal/passwords/passwords.ts'
import type { Guesses } from './guesses.ts'

const fail = (error: Error) => {
  throw error
}
const { url, email, password, times }: Guesses = JSON.parse(process.argv[2] ?? '')
const database = openDatabase({ url, postgresConnections: 3, onFatal: fail, onIdleError: fail })
const checkPassword = createCheckPassword({
  database,
  clock: systemClock,
  newId: createTicketMaker(randomBytes),
  queued: createPasswordQueue({ atOnce: 2, waiting: 20, clock: systemClock, busy: () => false }),
  check: async () => false,
})
const asked = Array.from({ length: times }, (_, index) =>
  checkPassword({ email, password, address: `198.51.100.${index}` }, async () => ({ kind: 'in' })),
)
process.stdout.write(JSON.stringify(await Promise.all(asked)))
await database.close()
