import { toolCatalogue } from '@wigwag/mcp'
import { expectNone, needed } from '../answers.ts'
import { type Check, must } from '../check.ts'
import { NotTried } from '../not-tried.ts'
import type { Session } from '../session.ts'
import { shown } from '../shape.ts'

const named = (readOnly: boolean) =>
  toolCatalogue
    .filter(({ annotations }) => annotations.readOnlyHint === readOnly)
    .map(({ name }) => name as string)

const READ = named(true)
const WRITE = named(false)

const namesIn = async (session: Session) => (await session.mcp.tools()).map(({ name }) => name)

const without = (wanted: readonly string[], names: readonly string[]) =>
  expectNone(wanted.filter((name) => !names.includes(name)).map((name) => `no ${name}`))

export const mcp: readonly Check[] = [
  must('mcp.needs-sign-in', '4.6', 'without a token, the tools are refused with 401', (session) =>
    session.mcp.refuses(undefined),
  ),
  must('mcp.needs-token', '4.6', 'with an unknown token, they are refused with 401', (session) =>
    session.mcp.refuses(`${session.run}-not-a-token`),
  ),
  must('mcp.pkce', '5', 'sign-in is by an authorization code with PKCE', async (session) => {
    const { response_types_supported: types, code_challenge_methods_supported: methods = [] } =
      await session.mcp.metadata()
    expectNone([
      ...(types.includes('code') ? [] : [`response_types_supported is ${shown(types)}`]),
      ...(methods.length > 0 ? [] : ['code_challenge_methods_supported names none']),
    ])
  }),
  must('mcp.read-tools', '4.6', `the tools that read are there: ${READ.join(', ')}`, async (session) =>
    without(READ, await namesIn(session)),
  ),
  must('mcp.write-tools', '4.6', `the tools that write are there: ${WRITE.join(', ')}`, async (session) => {
    const names = await needed(namesIn(session), 'mcp.read-tools')
    if (!WRITE.some((name) => names.includes(name)))
      throw new NotTried('none is shown; the connection may be one that may only read')
    without(WRITE, names)
  }),
  must('mcp.balance', '4.6', 'get_balance answers', async (session) => {
    const names = await needed(namesIn(session), 'mcp.read-tools')
    if (!names.includes('get_balance')) throw new NotTried('needs mcp.read-tools, which failed')
    await session.mcp.readBalance()
  }),
]
