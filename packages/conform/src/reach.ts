import { came } from './answers.ts'
import { type Visited, Wrong } from './connector-check/visit.ts'
import { hide } from './secrets.ts'

/** The server can't be tried at all: it is away, or is not the one that is meant. */
export class CannotTry extends Error {
  override readonly name = 'CannotTry'
}

/** Ends the run in one sentence when the server can't be the one that is meant. */
export async function reach(balance: () => Promise<Visited>, secrets: readonly string[]): Promise<void> {
  const visited = await balance().catch((error: unknown) => {
    throw error instanceof Wrong ? new CannotTry(error.message) : error
  })
  const why = whyNot(visited)
  if (why !== undefined) throw new CannotTry(hide(`${came(visited)}; ${why}`, secrets))
}

function whyNot({ status, headers, text }: Visited): string | undefined {
  if (status >= 300 && status < 400) return 'give the address that it leads to'
  if (/^text\/html\b/i.test(headers.get('content-type') ?? '') || /^\s*</.test(text))
    return 'expected JSON, so this is not the address of the API'
  if (status === 404) return 'expected the balance, so this is not the address of the API'
  if (status === 401 || status === 403)
    return 'expected it to take the credentials, without which nothing can be tried'
  return undefined
}
