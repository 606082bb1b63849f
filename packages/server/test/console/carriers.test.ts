import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EXPORTED, exportRows } from '../../src/operate/privacy/index.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { call } from '../support/front.ts'
import { simulated } from '../support/simulated.ts'
import { sendOne } from './receivers.ts'

/** A customer of a gateway whose carrier is called Zyzzyva and answers nothing, and all that they can read. */
async function openZyzzyva(showCarriers: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-carriers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = { carriers: { Zyzzyva: { url: 'simulator:' } }, routes: [{ carriers: [{ name: 'Zyzzyva' }] }] }
  await writeFile(join(folder, 'carriers.json'), JSON.stringify(file))
  const world = await openWorld({
    config: {
      showCarriers,
      simulator: simulated({ unanswered: 100, forget: 100 }),
      carrier: { given: 'file:./carriers.json', folder, variables: () => ({}) },
    },
  })
  const { carriers, database, messages } = world.gateway
  const ama = await world.resident()
  const ticket = await sendOne(world, ama)
  await eventually('it is uncertain', async () => (await carriers.uncertain(1)).total === 1)
  const page = async (path: string) => (await ama.person.visit(world.url + path)).text
  return {
    ticket,
    carriers,
    /** Finds the message as an operator does, which the audit log records. */
    find: () => messages.find({ carrierReference: 'F-77' }, ama.accountId, { limit: 1, after: undefined }),
    shown: () => messages.show(ticket, { text: false }),
    message: () => page(`/messages/${ticket}`),
    log: async () => `${await page('/log')} ${await page('/log.csv')}`,
    api: async () => (await call(world.url, ama, { path: `/v1/messages/${ticket}` })).text,
    inbox: () => page('/messages.csv'),
    async exported() {
      const rows: unknown[] = []
      for (const name of EXPORTED)
        for await (const row of exportRows(database, ama.accountId, name, showCarriers)) rows.push(row)
      return JSON.stringify(rows)
    },
  }
}

it('tells customers neither who the carrier is nor what it calls a message, and operators both', async () => {
  const { ticket, carriers, find, shown, message, log, api, inbox, exported } = await openZyzzyva(false)
  const before = await message()
  await find()
  await carriers.settle(ticket, 'success', 'F-77')
  const all = [before, await message(), await log(), await api(), await inbox(), await exported()]
  for (const text of all) {
    expect(text).toContain(ticket)
    expect(text).not.toMatch(/Zyzzyva|F-77/)
  }
  expect(await shown()).toMatchObject({ carrier: 'Zyzzyva', references: ['F-77'] })
})

it('tells them where the operator wants that', async () => {
  const { ticket, carriers, message, exported } = await openZyzzyva(true)
  await carriers.settle(ticket, 'success', 'F-77')
  for (const text of [await message(), await exported()]) {
    expect(text).toContain('Zyzzyva')
    expect(text).toContain('F-77')
  }
})
