/**
 * Whether the gateway that `npm start` is about to install and build could listen. It runs before both, on whatever Node
 * the machine has, so it is plain JavaScript without dependencies. The gateway itself reads its settings again.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import * as util from 'node:util'

/** Throws when another program listens where `serve` would. */
export async function requireFreePlace(args, env) {
  const { values } = util.parseArgs({
    args,
    options: { host: { type: 'string' }, port: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  })
  const file = envFile()
  const host = String(values.host || env.WIGWAG_HOST || file.WIGWAG_HOST || '127.0.0.1')
  const port = String(values.port || env.WIGWAG_PORT || file.WIGWAG_PORT || '8080')
  if (!(await isTaken(host, port))) return
  throw new Error(
    `wigwag: something else listens on ${host}:${port}; choose another port, as in npm start -- --port ${Number(port) + 10}`,
  )
}

/** None on a Node before 20.12, which can't read it. */
function envFile() {
  try {
    return util.parseEnv(readFileSync('.env', 'utf8'))
  } catch {
    return {}
  }
}

/** Any other reason not to listen is the gateway's to say. */
function isTaken(host, port) {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) return false
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(error.code === 'EADDRINUSE'))
    server.listen(Number(port), host, () => server.close(() => resolve(false)))
  })
}
