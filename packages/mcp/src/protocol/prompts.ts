import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { promptsOf, writePrompt } from '../prompts/index.ts'
import type { Identity } from '../tools/index.ts'

/** Lets a client list prompts and have one written. */
export function servePrompts(server: Server, identity: Identity): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...promptsOf(identity)] }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: values = {} } }) => {
    const written = writePrompt(identity, name, values)
    if (written.kind === 'refused') throw new ProtocolError(ProtocolErrorCode.InvalidParams, written.text)
    const { description, text } = written
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}
