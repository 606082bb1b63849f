import { describe, expect, it } from 'vitest'
import type { Ticket } from '../../../src/kernel/ids.ts'
import { eventually } from '../../support/eventually.ts'
import { losingCommits, openDelivery } from '../delivering.ts'

const COST = 9_000

/** A gateway that does not hear whether its next commit after a submission got through, although it did. */
async function openLosing() {
  const { around, loseNext } = losingCommits()
  const opened = await openDelivery({ cost: COST, around })
  const { carrier, database, pass } = opened
  return {
    ...opened,
    takes(...refs: readonly string[]) {
      carrier.onSubmit = ({ ticket }) => {
        loseNext()
        const named = refs.map((ref, part) => ({ part, ref: `${ref} of ${ticket}` }))
        return { kind: 'accepted', refs: named, parts: refs.length }
      }
    },
    /** Hands over what is due, calls `meanwhile` once the commit is lost, and lets it be tried again. */
    async workThrough(meanwhile: () => Promise<unknown> = async () => {}) {
      const working = opened.work()
      await eventually('the commit is lost', () => opened.faults.length > 0)
      await meanwhile()
      pass(1_000)
      await working
    },
    owed: () => database.read(({ run }) => run('SELECT parts, cost FROM carrier_totals', [])),
  }
}

describe('what a carrier is owed, when the answer to the commit is lost', () => {
  it('is counted once', async () => {
    const { send, takes, workThrough, owed } = await openLosing()
    await send()
    takes('a', 'b', 'c')
    await workThrough()
    expect(await owed()).toEqual([{ parts: 3, cost: 3 * COST }])
  })

  it.each([
    ['a receipt', () => ({})],
    ['one that names our ticket', (ticket: Ticket) => ({ ticket })],
  ])('is counted once when %s comes before it is stored again', async (_, named) => {
    const opened = await openLosing()
    const ticket = await opened.send()
    opened.takes('a')
    await opened.workThrough(async () => {
      await opened.carrier.take([{ ref: `a of ${ticket}`, verdict: 'success', ...named(ticket) }])
      expect(await opened.message(ticket)).toMatchObject({ status: 'success' })
      await eventually('its reference is forgotten', async () => (await opened.refs()).length === 0)
    })
    expect(await opened.owed()).toEqual([{ parts: 1, cost: COST }])
    expect(await opened.refs()).toEqual([])
  })

  it('is counted once when messages that were stored together are stored again in halves', async () => {
    const { send, takes, work, owed } = await openLosing()
    for (let n = 0; n < 3; n++) await send()
    takes('a')
    await work()
    expect(await owed()).toEqual([{ parts: 3, cost: 3 * COST }])
  })
})
