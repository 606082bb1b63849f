import { randomUUID } from 'node:crypto'
import { micros } from '@wigwag/contract'
import type { Attempt, Journal, Known } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { pruneJournal } from '../../src/assistants/end-connections.ts'
import { type JournalOwner, StoredJournal } from '../../src/assistants/mcp/journal.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { utcDay } from '../../src/kernel/time/spans.ts'
import { insertRows } from '../../src/store/rows.ts'
import { countingRows } from '../support/counting-rows.ts'
import type { Store } from '../support/engine.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const HOUR = 3_600_000
const CLIENT = { table: 'clients', id: 'client-w' } as const
const OTHER = { table: 'clients', id: 'client-v' } as const
const CONNECTION = { table: 'connections', id: 'connection-w' } as const
const MIDNIGHT = utcDay(NOW) * 24 * HOUR

export function mcpJournal(store: Store): void {
  const at = (hours: number) => MIDNIGHT + hours * HOUR
  const attemptOf = (changes: Partial<Attempt> = {}): Attempt => ({
    connection: 'c',
    tool: 'send_sms',
    at: at(0),
    digest: 'hello',
    cost: micros(42_000),
    ...changes,
  })
  const journal = (owner: JournalOwner = CLIENT, database = store.database) =>
    new StoredJournal(database, owner)
  const known = (changes?: Partial<Attempt>, owner?: JournalOwner) => journal(owner).known(attemptOf(changes))

  function add(changes?: Partial<Attempt>, to: Journal = journal()): Promise<string> {
    return to.attempt(attemptOf(changes), () => randomUUID())
  }

  describe('the journal of an assistant', () => {
    it('takes one of equal messages that come at once to two processes', async () => {
      await makeWallets(store.database, { w: 0 })
      const handles = [store.database, store.another()]
      const once = ({ twin }: Known) => {
        if (twin) throw new Error('sent before')
        return randomUUID()
      }
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) =>
          journal(CLIENT, handles[index % 2]).attempt(attemptOf(), once),
        ),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('keeps nothing of a decision that fails', async () => {
      const refused = journal().attempt(attemptOf(), () => {
        throw new Error('over the limit')
      })
      await expect(refused).rejects.toThrow('over the limit')
      expect(await known()).toMatchObject({ twin: undefined })
    })

    it('finds what was sent within two minutes, and with a key within 23 hours, of each owner alone', async () => {
      const id = await add({ key: 'k' })
      await journal().end({ id, at: at(0), outcome: 'sent', ticket: 't' })
      const sent = { id, digest: 'hello', ticket: 't' }
      expect(await known({ key: 'k' })).toMatchObject({ keyed: [sent], twin: sent })
      expect(await known({ key: 'other', digest: 'other' })).toMatchObject({ keyed: [], twin: undefined })
      expect((await known({ at: at(0) + 119_999 })).twin).toEqual(sent)
      expect((await known({ at: at(0) + 120_000 })).twin).toBeUndefined()
      expect((await known({ at: at(23) - 1, key: 'k' })).keyed).toEqual([sent])
      expect((await known({ at: at(23), key: 'k' })).keyed).toEqual([])
      expect(await known({ key: 'k' }, OTHER)).toMatchObject({ keyed: [], twin: undefined })
    })

    it('takes out again what certainly failed, and only when every attempt did', async () => {
      const id = await add({ key: 'k' })
      await journal().attempt(attemptOf({ key: 'k' }), ({ keyed: [earlier] }) => earlier?.id ?? 'none')
      const fail = () => journal().end({ id, at: at(0), outcome: 'failed' })
      await fail()
      expect(await known({ key: 'k' })).toMatchObject({ keyed: [{ id }], twin: { id } })
      await fail()
      expect(await known({ key: 'k' })).toMatchObject({ keyed: [], twin: undefined })
    })

    it('tells the tickets of today and yesterday, newest first, and forgets what is older still', async () => {
      for (const hour of [0, 10, 30]) {
        const id = await add({ at: at(hour), digest: `${hour}` })
        await journal().end({ id, at: at(hour), outcome: 'sent', ticket: `t${hour}` })
      }
      expect(await journal().sent('c', at(47), 9)).toEqual(['t30', 't10', 't0'])
      expect(await journal().sent('c', at(47), 2)).toEqual(['t30', 't10'])
      expect(await journal().sent('c', at(48), 9)).toEqual(['t30'])
      await store.database.write((tx) => pruneJournal(tx, epochMs(at(58))))
      expect(await journal().sent('c', at(47), 9)).toEqual(['t30', 't10'])
    })

    it.each([CLIENT, CONNECTION])('reads as much after 5,000 sends as after one: $table', async (owner) => {
      const counted = countingRows(store.database)
      const call = async () => {
        const before = counted.rows()
        const id = await add({ key: randomUUID(), digest: 'mine' }, journal(owner, counted.database))
        await journal(owner, counted.database).end({ id, at: at(0), outcome: 'sent', ticket: id })
        return counted.rows() - before
      }
      await call()
      const few = await call()
      await fill(owner.id)
      expect(await call()).toBe(few)
    })
  })

  /** Stores 5,000 sends of an owner, as if they had just been made. */
  async function fill(clientId: string): Promise<void> {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      id: randomUUID(),
      clientId,
      at: epochMs(at(0)),
      digest: `${index}`,
      key: `key-${index}`,
      ticket: `${index}`,
      attempts: 1,
      failures: 0,
    }))
    await store.database.write((tx) => insertRows(tx, tx.t.connectorSends, rows))
  }
}
