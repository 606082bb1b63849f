import { Accounts, type AccountWork, type OnRotated } from '../accounts/index.ts'
import {
  endByOperator,
  endOfPerson,
  OauthKeyring,
  OperatorConnections,
  StandaloneConnectors,
} from '../assistants/index.ts'
import { OperatorCallbacks } from '../callbacks/index.ts'
import { OperatorCarriers } from '../delivery/index.ts'
import type { Changes } from '../flow/changes.ts'
import type { TicketMaker } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { OperatorMessages } from '../messages/history/index.ts'
import { Operators } from '../sign-in/operators/index.ts'
import { OperatorPeople, type SetPassword, setPassword } from '../sign-in/portal/index.ts'
import type { Acting } from '../store/audit/index.ts'
import type { Database, Replica, Tx } from '../store/database.ts'
import type { Sealer } from '../store/secrets/sealing.ts'

/** Operators' changes to accounts. Every change leaves an audit row. */
export class Operator extends Accounts {
  readonly setPassword: SetPassword
  readonly connections: OperatorConnections

  constructor(parts: AccountWork) {
    super(parts)
    const endAll = async (tx: Tx, { accountId, personId }: { accountId: string; personId: string }) => {
      const reason = 'the password was replaced'
      const ended = await endByOperator(parts, tx, accountId, 'all', reason)
      return [...ended, ...(await endOfPerson(parts, tx, { personId }, reason))]
    }
    this.setPassword = (...asked) => setPassword(parts, endAll, ...asked)
    this.connections = new OperatorConnections(parts)
  }
}

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
  /** Called with each key that was replaced, in the same transaction. */
  onRotated: OnRotated
  newId: TicketMaker['make']
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

export function workOfOperators(parts: WorkParts): OperatorWork {
  return {
    operator: new Operator(parts),
    carriers: new OperatorCarriers(parts),
    callbacks: new OperatorCallbacks(parts),
    messages: new OperatorMessages(parts),
    operators: new Operators(parts),
    people: new OperatorPeople({ ...parts, endConnections: (...asked) => endOfPerson(parts, ...asked) }),
    standalone: new StandaloneConnectors(parts),
    keyring: new OauthKeyring(parts),
  }
}
