/** Signs in as its one argument says, and prints what came of it. */
import { randomBytes } from 'node:crypto'
import { TicketMaker } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { PasswordQueue } from '../../src/sign-in/portal/passwords/password-queue.ts'
import { checkPassword } from '../../src/sign-in/portal/passwords/passwords.ts'
import { openDatabase } from '../../src/store/open.ts'
import type { Guesses } from './guesses.ts'

const fail = (error: Error) => {
  throw error
}
const { url, email, password, times }: Guesses = JSON.parse(process.argv[2] ?? '')
const database = openDatabase({ url, postgresConnections: 3, onFatal: fail, onIdleError: fail })
const checking = {
  database,
  clock: systemClock,
  newId: new TicketMaker(randomBytes).make,
  queue: new PasswordQueue({ atOnce: 2, waiting: 20, clock: systemClock, busy: () => false }),
  check: async () => false,
}
const asked = Array.from({ length: times }, (_, index) =>
  checkPassword(checking, { email, password, address: `198.51.100.${index}` }, async () => ({ kind: 'in' })),
)
process.stdout.write(JSON.stringify(await Promise.all(asked)))
await database.close()
