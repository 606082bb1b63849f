import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { parseJson, protocolError, readMessage, serveConnection } from '../protocol/index.ts'
import type { Identity, OnFault } from '../tools/index.ts'

const LONGEST_LINE = 4_194_304

export interface StdioOptions {
  identity: Identity
  /** The client writes here, one message per line. When it ends, serving ends. */
  input: Readable
  /** The client reads here. Only messages are written to it. */
  output: Writable
  onFault?: OnFault
}

/** Serves one client over two streams. Resolves when the client has left and all of its calls have ended. */
export async function serveStdio({
  identity,
  input,
  output,
  onFault = () => {},
}: StdioOptions): Promise<void> {
  const write = (message: unknown) => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`)
  }

  // The client may leave without reading its answers. Its calls still run to the end.
  output.on('error', () => {})
  const connection = serveConnection(identity, write, onFault)
  try {
    for await (const line of linesOf(input)) {
      const message = line === undefined ? undefined : readMessage(parseJson(line))
      if (message) connection.receive(message)
      else write(protocolError(-32_700, 'Expected one JSON-RPC 2.0 message per line, of at most 4 MiB.'))
    }
  } catch (error) {
    // The stream was destroyed instead of ended: the client has left as well.
    if (!input.destroyed) throw error
  }
  await connection.answered()
  if (output.writable && output.writableNeedDrain) await once(output, 'drain')
  await connection.close()
}

/** The lines of a stream; undefined in place of one that is too long. */
async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let isTooLong = false
  for await (const chunk of input) {
    rest = Buffer.concat([rest, Buffer.from(chunk)])
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      const line = rest.toString('utf8', 0, at)
      rest = rest.subarray(at + 1)
      if (isTooLong) yield undefined
      else if (line.trim() !== '') yield line
      isTooLong = false
    }
    if (rest.length > LONGEST_LINE) {
      isTooLong = true
      rest = Buffer.alloc(0)
    }
  }
}
