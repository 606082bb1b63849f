import { type Accounts, createAccounts, createChangeAccount } from './accounts/index.ts'
import {
  createEndByOperator,
  createEndOfPerson,
  createOauthKeyring,
  createOperatorConnections,
  createStandaloneConnectors,
  type OauthKeyring,
  type OperatorConnections,
  type StandaloneConnectors,
} from './assistants/index.ts'
import type { Acting } from './audit/index.ts'
import { createOperatorCallbacks, type OperatorCallbacks } from './callbacks/index.ts'
import { createOperatorCarriers, type OperatorCarriers } from './delivery/index.ts'
import type { createTicketMaker } from './domain/ids.ts'
import { createOperatorMessages, type OperatorMessages } from './history/index.ts'
import { createOperators, type Operators } from './operators/index.ts'
import type { Changes } from './platform/changes.ts'
import type { Clock } from './platform/clock.ts'
import type { Database, Replica } from './platform/database/database.ts'
import type { Sealer } from './platform/secrets/sealing.ts'
import {
  createOperatorPeople,
  createSetPassword,
  type OperatorPeople,
  type SetPassword,
} from './portal/index.ts'
import { followDemo } from './sandbox/index.ts'

/** What an operator can do to accounts. Every change leaves an audit row. */
export interface Operator extends Accounts {
  setPassword: SetPassword
  connections: OperatorConnections
}

/** What the work of operators is done with. */
export interface WorkParts {
  database: Database
  /** For reads that may be a second old. */
  replica: Replica
  /** Who does it, for the audit log. */
  acting: Acting
  clock: Clock
  /** The real time, by which sessions and links go. */
  realClock: Pick<Clock, 'now'>
  changes: Changes
  sealer: Sealer
  newId: ReturnType<typeof createTicketMaker>
}

/** The use cases of operators, the same by a command and at the desk. */
export interface OperatorWork {
  operator: Operator
  carriers: OperatorCarriers
  callbacks: OperatorCallbacks
  messages: OperatorMessages
  /** The people who may enter the desk. */
  operators: Operators
  /** The people of accounts. */
  people: OperatorPeople
  standalone: StandaloneConnectors
  keyring: OauthKeyring
}

export function createOperatorWork(parts: WorkParts): OperatorWork {
  return {
    operator: createOperator(parts),
    carriers: createOperatorCarriers(parts),
    callbacks: createOperatorCallbacks(parts),
    messages: createOperatorMessages(parts),
    operators: createOperators(parts),
    people: createOperatorPeople({ ...parts, endConnections: createEndOfPerson(parts) }),
    standalone: createStandaloneConnectors(parts),
    keyring: createOauthKeyring(parts),
  }
}

export function createOperator(
  parts: Pick<WorkParts, 'database' | 'acting' | 'clock' | 'sealer' | 'newId'> & {
    changes: Pick<Changes, 'note'>
  },
): Operator {
  const change = createChangeAccount(parts)
  const endByOperator = createEndByOperator(parts)
  const endOfPerson = createEndOfPerson(parts)
  return {
    ...createAccounts({ ...parts, change, onRotated: followDemo(parts.sealer) }),
    setPassword: createSetPassword(change, async (tx, { accountId, personId }) => {
      const reason = 'the password was replaced'
      const ended = await endByOperator(tx, accountId, 'all', reason)
      return [...ended, ...(await endOfPerson(tx, { personId }, reason))]
    }),
    connections: createOperatorConnections({ ...parts, endByOperator }),
  }
}
