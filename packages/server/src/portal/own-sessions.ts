import { digestOf } from '../accounts/index.ts'
import { actorOf, createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'

import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { SessionProof } from '../platform/database/schema.ts'
import type { Self } from './own-factors.ts'
import { endSessionsOfPerson } from './sessions.ts'

/** A session as its person sees it. */
export interface OwnSession {
  /** The beginning of its token's digest, which opens nothing. */
  id: string
  proof: SessionProof
  address: string
  browser: string
  /** The account that is open in it. */
  name: string
  createdAt: EpochMs
  usedAt: EpochMs
  /** Whether it is the one that asks. */
  isThis: boolean
}

/** The sessions of one person, wherever they are. */
export interface OwnSessions {
  /** The last used first. */
  list(self: Self): Promise<OwnSession[]>
  /** False when there is none with that id. */
  end(self: Self, id: string): Promise<boolean>
  endOthers(self: Self): Promise<void>
}

const SHOWN = 16

export function createOwnSessions(parts: {
  database: Database
  clock: Pick<Clock, 'now'>
  auditClock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
}): OwnSessions {
  const { database, clock } = parts
  const write = createAudit({ clock: parts.auditClock, newId: parts.newId })
  const audit = (tx: Tx, { personId, accountId }: Self, sessions: 'one' | 'others') =>
    write(tx, { actor: actorOf(personId), action: 'person.end-sessions', accountId, detail: { sessions } })

  return {
    async list({ personId, token }) {
      const rows = await database.read(({ run }) =>
        run<Omit<OwnSession, 'id' | 'isThis'> & { tokenHash: string }>(
          `SELECT s.token_hash AS "tokenHash", s.proof, s.address, s.browser, a.name, s.created_at AS "createdAt",
             s.used_at AS "usedAt"
           FROM portal_sessions s JOIN accounts a ON a.id = s.account_id
           WHERE s.person_id = $1 AND s.expires_at > $2 AND s.state = 'in' ORDER BY s.used_at DESC, s.token_hash`,
          [personId, clock.now()],
        ),
      )
      const own = digestOf(token)
      return rows.map(({ tokenHash, ...session }) => ({
        ...{ ...session, id: tokenHash.slice(0, SHOWN), isThis: tokenHash === own },
      }))
    },

    end: (self, id) =>
      database.write(async (tx) => {
        const gone = await tx.run(
          `DELETE FROM portal_sessions WHERE person_id = $1 AND substr(token_hash, 1, ${SHOWN}) = $2 RETURNING person_id`,
          [self.personId, id],
        )
        if (gone.length > 0) await audit(tx, self, 'one')
        return gone.length > 0
      }),

    endOthers: (self) =>
      database.write(async (tx) => {
        await endSessionsOfPerson(tx, self.personId, digestOf(self.token))
        await audit(tx, self, 'others')
      }),
  }
}
