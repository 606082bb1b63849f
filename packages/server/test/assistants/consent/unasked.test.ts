import { expect, it } from 'vitest'
import { wordsOf } from '../../console/forms.ts'
import { mcp, openWorld, SENDING, tokensFor } from '../oauth/world.ts'

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }

it('the consent says that most programs can’t ask, and has chosen that those send nothing', async () => {
  const world = await openWorld()
  const ama = await world.resident('ama')
  const assistant = await world.assistant()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const words = wordsOf(page)
  expect(words).toContain('only those that speak revision 2026-07-28 of the protocol are given the question')
  expect(words).not.toContain('nothing is sent without your yes')
  const chosen = /<input type="radio" name="unasked" value="(\w+)" checked>/.exec(page.text)?.[1] ?? ''
  expect(chosen).toBe('refuse')

  // A client of 2025-11-25 declares its capabilities at the handshake alone, so a later request has none.
  const tokens = await tokensFor(ama, assistant, { ...SENDING, unasked: chosen })
  const { text } = await mcp(world.url, String(tokens.access_token), 'tools/call', {
    name: 'send_sms',
    arguments: MESSAGE,
  })
  expect(text).toContain('Nothing was sent: this connection acts only after the person has said yes')
})
