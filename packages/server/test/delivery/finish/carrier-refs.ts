import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import {
  findRefs,
  findVerdicts,
  forgetRefs,
  type NewRefs,
  noteVerdicts,
  partsOf,
  pruneOrphans,
  storeRefs,
} from '../../../src/delivery/finish/refs.ts'
import { addCosts, type CarrierCost, storeTaken } from '../../../src/delivery/submit/costs.ts'
import { type EpochMs, epochMs, TicketMaker } from '../../../src/kernel/ids.ts'
import type { Tx } from '../../../src/store/database.ts'
import type { Store } from '../../support/engine.ts'
import { NOW } from '../../support/rows-of.ts'

const newId = new TicketMaker((size) => new Uint8Array(size).fill(7)).make
const later = (ms: number) => epochMs(NOW + ms)

/** Tests of carriers' references for every engine. */
export function carrierRefs(store: Store): void {
  const put = (refs: readonly NewRefs[], now: EpochMs) =>
    write(async (tx) => (await storeRefs(tx, refs, now)).early)
  const write = <T>(work: (tx: Tx) => Promise<T>) => store.database.write(work)
  const taken = (ref: string, ticket = newId(NOW)) => ({
    carrier: 'north',
    ticket,
    parts: 1,
    refs: [{ part: 0, ref }],
  })
  const receipt = (ref: string) => ({ ref, verdict: 'success' as const, reason: 'why' })

  describe("a carrier's references", () => {
    it('are found by themselves, for their own carrier only', async () => {
      const many = Array.from({ length: 150 }, (_, index) => taken(`ref-${index}`))
      expect(await put(many, NOW)).toEqual([])
      const refs = many.map(({ refs: [one] }) => one?.ref ?? '')
      const found = await write((tx) => findRefs(tx, 'north', [...refs, 'unknown']))
      expect(found.size).toBe(150)
      expect(found.get('ref-7')).toEqual({
        carrier: 'north',
        ref: 'ref-7',
        ticket: many[7]?.ticket,
        parts: 1,
      })
      expect((await write((tx) => findRefs(tx, 'south', refs))).size).toBe(0)
    })

    it('give the verdict that came before them, once, and not one that is too old', async () => {
      expect(await write((tx) => noteVerdicts(tx, 'north', [receipt('a'), receipt('a')], NOW))).toEqual([])
      expect(await write((tx) => findVerdicts(tx, 'north', ['a']))).toEqual([])
      const first = taken('a')
      const { ticket } = first
      const known = { carrier: 'north', ref: 'a', ticket, parts: 1 }
      const early = await put([first], later(1_000))
      expect(early).toEqual([{ ...known, verdict: 'success', reason: 'why' }])
      expect(await write((tx) => findVerdicts(tx, 'north', ['a']))).toEqual(early)
      expect(await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], NOW))).toEqual([known])
      await write((tx) => noteVerdicts(tx, 'north', [receipt('b')], NOW))
      expect(await put([taken('b')], later(600_001))).toEqual([])
    })

    it('give a verdict that came early even if an old one is there from an earlier message', async () => {
      const old = { ref: 'a', verdict: 'failed' as const, reason: 'old' }
      await write((tx) => noteVerdicts(tx, 'north', [old], NOW))
      await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], later(600_001)))
      const [early] = await put([taken('a')], later(600_002))
      expect(early).toMatchObject({ verdict: 'success', reason: 'why' })
    })

    it('keep the first of several verdicts', async () => {
      await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], NOW))
      await write((tx) =>
        noteVerdicts(tx, 'north', [{ ref: 'a', verdict: 'failed', reason: 'no' }], later(1)),
      )
      const [early] = await put([taken('a')], later(2))
      expect(early).toMatchObject({ verdict: 'success', reason: 'why' })
    })

    it('belong to the message that was given them last', async () => {
      const [old, young] = [taken('a'), taken('a')]
      await put([old], NOW)
      await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], NOW))
      expect(await put([young], NOW)).toEqual([])
      expect((await write((tx) => findRefs(tx, 'north', ['a']))).get('a')?.ticket).toBe(young.ticket)
      expect(await put([old, young, taken('c')], NOW)).toEqual([])
    })

    it('of a long message are forgotten together, and nothing else', async () => {
      const ticket = newId(NOW)
      const refs = [0, 1].map((part) => ({ part, ref: `r${part}` }))
      await put([{ carrier: 'north', ticket, parts: 2, refs }, taken('a'), taken('b')], NOW)
      const parts = await write((tx) => partsOf(tx, [ticket]))
      expect(parts.get(ticket)).toMatchObject([
        { part: 0, parts: 2, ref: 'r0', verdict: null },
        { part: 1, parts: 2, ref: 'r1', verdict: null },
      ])
      const known = await write((tx) => findRefs(tx, 'north', ['r0', 'a']))
      await write((tx) => forgetRefs(tx, [...known.values()]))
      const left = await write((tx) => findRefs(tx, 'north', ['r0', 'r1', 'a', 'b']))
      expect([...left.keys()]).toEqual(['b'])
    })

    it('that no message has are pruned by their age', async () => {
      await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], NOW))
      await put([taken('b')], NOW)
      expect(await write((tx) => pruneOrphans(tx, NOW))).toEqual({ pruned: 0, more: false })
      expect(await write((tx) => pruneOrphans(tx, later(1)))).toEqual({ pruned: 1, more: false })
      expect((await write((tx) => findRefs(tx, 'north', ['b']))).size).toBe(1)
    })

    it('may be stored and noted at the same moment by two processes: the verdict is not lost', async () => {
      const other = store.another()
      for (let round = 0; round < 10; round++) {
        const ref = `race-${round}`
        const [early, known] = await Promise.all([
          put([taken(ref)], NOW),
          other.write((tx) => noteVerdicts(tx, 'north', [receipt(ref)], NOW)),
        ])
        expect(early.length + known.length).toBe(1)
      }
    })
  })

  describe('what carriers are owed', () => {
    it('is added up by hour, country and network', async () => {
      const cost = (changes: Partial<CarrierCost> = {}): CarrierCost => ({
        carrier: 'north',
        hour: 0,
        country: 'GH',
        network: 'MTN',
        parts: 2,
        cost: micros(9_000),
        ...changes,
      })
      await write((tx) => addCosts(tx, [cost(), cost({ network: '' }), cost()]))
      await write((tx) => addCosts(tx, [cost()]))
      const rows = await write(({ run }) =>
        run('SELECT carrier, hour, country, network, parts, cost FROM carrier_totals ORDER BY network', []),
      )
      expect(rows).toEqual([cost({ network: '' }), cost({ parts: 6, cost: micros(27_000) })])
    })

    it('grows by each reference once, and again when another message gets it', async () => {
      const each = { carrier: 'north', hour: 0, country: 'GH', network: '', parts: 2, cost: micros(9_000) }
      const first = taken('a')
      await write((tx) => noteVerdicts(tx, 'north', [receipt('a')], NOW))
      const store = (refs: NewRefs) => write((tx) => storeTaken(tx, [{ refs, cost: each }], NOW))
      const parts = async () => {
        const [row] = await write(({ run }) => run<{ parts: number }>('SELECT parts FROM carrier_totals', []))
        return row?.parts
      }
      expect((await store(first)).early).toHaveLength(1)
      expect(await parts()).toBe(2)
      expect((await store(first)).early).toHaveLength(1)
      expect(await parts()).toBe(2)
      await store({ ...first, parts: 2, refs: [...first.refs, { part: 1, ref: 'b' }] })
      expect(await parts()).toBe(4)
      expect((await store(taken('a'))).early).toEqual([])
      expect(await parts()).toBe(6)
    })
  })
}
