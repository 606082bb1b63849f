import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Command } from 'commander'
import { port, webUrl } from '../arguments.ts'
import { listenFailure } from '../listen-failure.ts'
import { stopSignal } from '../stop-signal.ts'
import { Failed, type OutputFlags, say, withJson } from '../terminal.ts'
import { createReceiver } from './callback-receiver.ts'
import { clientSettings } from './gateway-client.ts'

interface ListenFlags extends OutputFlags {
  forwardTo?: string
  host: string
  port: number
}

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/

export function listenCommand(): Command {
  const command = new Command('listen')
    .description(
      'Receive callbacks here: print each as a line of JSON and forward it, with the same bytes and headers.',
    )
    .addHelpText('after', HELP)
    .option('--forward-to <url>', 'a program of yours; its answer becomes the answer to the gateway', webUrl)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 picks a free one', port, 8090)
  return withJson(command).action(listenForCallbacks)
}

const HELP = `
Signatures are checked when WIGWAG_CALLBACK_SECRET is set: one secret, or during
a rotation two, separated by a space. Callbacks are then taken at any path.
Without it, they are taken at one secret address, which is new at each start and
printed, so that no page in your browser can post there.`

async function listenForCallbacks({ forwardTo, host, port }: ListenFlags): Promise<void> {
  const secrets = readSecrets()
  const path = secrets.length === 0 ? `/${randomBytes(16).toString('base64url')}` : undefined
  const server = createServer(createReceiver({ secrets, path, forwardTo }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, { host, port }, '--port')))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${found}${path ?? ''}`
  say(`Listening for callbacks of messages whose CallbackUrl (wigwag send --callback-url) is ${url}`)
  if (secrets.length === 0)
    say('WIGWAG_CALLBACK_SECRET is not set: signatures are not checked, and only this address is taken.')
  if (forwardTo) say(`Forwarding them to ${forwardTo}`)
  await stopSignal()
  server.close()
  server.closeAllConnections()
}

function readSecrets(): string[] {
  const secrets = (clientSettings({}).get('WIGWAG_CALLBACK_SECRET') ?? '')
    .split(/[\s,]+/)
    .filter((secret) => secret !== '')
  if (secrets.every((secret) => SECRET.test(secret))) return secrets
  throw new Failed(
    'WIGWAG_CALLBACK_SECRET: expected a secret of the form whsec_<base64>, got something else',
    2,
  )
}
