import { expect, it } from 'vitest'
import { shareWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { simulated } from '../support/simulated.ts'
import { sheetOf, stepsOf, textOf } from './reading.ts'
import { openMessages, openReceivers, sendOne } from './receivers.ts'

// Neither an answer nor a receipt ever comes.
const simulator = simulated({ unanswered: 100, forget: 100 })
const world = await openReceivers({ simulator }, shareWorld)

it('tells of a message that the carrier never answered that it is not sent again, and never which carrier it is', async () => {
  const { ama, show } = await openMessages(world)
  const ticket = await sendOne(world, ama)
  const { carriers } = world.gateway
  await eventually('it is uncertain', async () => (await carriers.uncertain(1)).total === 1)
  const page = await show(ticket)
  expect(stepsOf(page)).toEqual(['Accepted', 'Handed to the carrier', 'Waiting for the carrier'])
  expect(textOf(sheetOf(page, 'What happened'))).toContain(
    "Handed to the carrier, which has not confirmed it. It is not sent again, so that it can't arrive twice.",
  )
  await carriers.settle(ticket, 'failed')
  const ended = await show(ticket)
  expect(stepsOf(ended)).toEqual(['Accepted', 'Handed to the carrier', 'Failed'])
  const said = textOf(sheetOf(ended, 'What happened'))
  expect(said).toContain('Handed to the carrier')
  expect(said).not.toContain('not confirmed')
  for (const text of [page, ended]) expect(text).not.toContain('simulator')
})
