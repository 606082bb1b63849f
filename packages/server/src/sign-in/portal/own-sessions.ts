import { digestOf } from '../../accounts/index.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { type Audit, actorOf } from '../../store/audit/index.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { SessionProof } from '../../store/schema/schema.ts'
import { endSessionsOfPerson } from './sessions.ts'

/** A person who changes their ways to sign in, and their session. */
export interface Self {
  personId: string
  email: string
  accountId: string
  token: string
}

/** A session as its person sees it. */
export interface OwnSession {
  /** The beginning of its token's digest. It gives no access. */
  id: string
  proof: SessionProof
  address: string
  browser: string
  /** The account that is open in it. */
  name: string
  createdAt: EpochMs
  usedAt: EpochMs
  /** Whether it is the session that asks. */
  isThis: boolean
}

/** How many characters of a digest the ID of a session has. */
const ID_LENGTH = 16

/** Lists and ends a person's sessions, in every browser, for that person. */
export class OwnSessions {
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #write: Audit

  constructor(parts: { database: Database; clock: Pick<Clock, 'now'>; audit: Audit }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#write = parts.audit
  }

  /** The person's sessions, the last used first. */
  async list({ personId, token }: Self): Promise<OwnSession[]> {
    const rows = await this.#database.read(({ run }) =>
      run<Omit<OwnSession, 'id' | 'isThis'> & { tokenHash: string }>(
        `SELECT s.token_hash AS "tokenHash", s.proof, s.address, s.browser, a.name, s.created_at AS "createdAt",
           s.used_at AS "usedAt"
         FROM portal_sessions s JOIN accounts a ON a.id = s.account_id
         WHERE s.person_id = $1 AND s.expires_at > $2 AND s.state = 'in' ORDER BY s.used_at DESC, s.token_hash`,
        [personId, this.#clock.now()],
      ),
    )
    const own = digestOf(token)
    return rows.map(({ tokenHash, ...session }) => ({
      ...session,
      id: tokenHash.slice(0, ID_LENGTH),
      isThis: tokenHash === own,
    }))
  }

  /** Ends one of them. False when there is none with that ID. */
  end(self: Self, id: string): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const gone = await tx.run(
        `DELETE FROM portal_sessions WHERE person_id = $1 AND substr(token_hash, 1, ${ID_LENGTH}) = $2 RETURNING person_id`,
        [self.personId, id],
      )
      if (gone.length > 0) await this.#audit(tx, self, 'one')
      return gone.length > 0
    })
  }

  /** Ends all but the session that asks. */
  endOthers(self: Self): Promise<void> {
    return this.#database.write(async (tx) => {
      await endSessionsOfPerson(tx, self.personId, digestOf(self.token))
      await this.#audit(tx, self, 'others')
    })
  }

  #audit(tx: Tx, { personId, accountId }: Self, sessions: 'one' | 'others'): Promise<void> {
    const action = 'person.end-sessions' as const
    return this.#write(tx, { actor: actorOf(personId), action, accountId, detail: { sessions } })
  }
}
