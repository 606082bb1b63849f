import { expect, it } from 'vitest'
import { toolInputs } from '../../../src/index.ts'
import { freshFolder } from '../../fixtures/process.ts'
import { openRealGateway } from '../../sign-in/real-gateway.ts'
import { EXIT, type Inspection, inspect } from './inspect.ts'

/** Runs of the inspector against the tools of a gateway. */
async function open() {
  const gateway = await openRealGateway()
  const home = freshFolder()
  const url = `${gateway.issuer}/mcp`
  const at = (...words: string[]) => ({
    target: ['--server-url', url, '--transport', 'http', ...words],
    home,
  })
  const as = (token: string) => at('--header', `Authorization: Bearer ${token}`)
  const call = (reach: Pick<Inspection, 'target' | 'home'>, tool: string, args: Inspection['args'] = {}) =>
    inspect({ ...reach, method: 'tools/call', tool, args })
  return { allow: (canSend: boolean) => gateway.allow(url, { canSend }), at, as, call }
}

it('tells the official inspector that sign-in is required', async () => {
  const { at } = await open()
  const { code, said } = await inspect({ ...at(), method: 'tools/list' })
  expect(code, said).toBe(EXIT.signIn)
})

it('serves the official inspector what the connection of its token allows', async () => {
  const { allow, as, call } = await open()
  const [reader, sender] = [await allow(false), await allow(true)]
  const { tools, said } = await inspect({ ...as(reader.token), method: 'tools/list' })
  expect(tools, said).toHaveLength(7)
  const all = await inspect({ ...as(sender.token), method: 'tools/list' })
  expect(all.tools.sort()).toEqual(Object.keys(toolInputs).sort())
  const message = { from: 'WIGWAG', to: '233241234567', content: 'Hello from the inspector' }
  expect((await call(as(reader.token), 'send_sms', message)).code).toBe(EXIT.toolError)
  const sent = await call(as(sender.token), 'send_sms', message)
  expect(sent.code, sent.said).toBe(EXIT.ok)
})
