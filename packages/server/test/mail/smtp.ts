import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import type { MailSettings } from '../../src/config/mail-settings.ts'
import { createSelfSigned } from '../platform/outbound/self-signed.ts'

/** A mail as it came. */
export interface Arrived {
  from: string
  to: string[]
  /** Whether it came over TLS, and as whom. */
  secure: boolean
  user: string | undefined
  text: string
}

/** A server's way with a mail that it has read. */
export type Doing = 'take' | 'refuse' | 'hang' | 'die'

/** A real mail server on this machine, with STARTTLS and a user. */
export async function startSmtp(options: SMTPServerOptions = {}) {
  const arrived: Arrived[] = []
  const state: { doing: Doing; connections: number } = { doing: 'take', connections: 0 }
  const sockets = new Set<Socket>()
  const smtp = new SMTPServer({
    ...createSelfSigned(),
    authOptional: true,
    disableReverseLookup: true,
    onAuth({ username, password }, _, callback) {
      if (username === 'wigwag' && password === 'p@ss:word') callback(null, { user: username })
      else callback(new Error('wrong user or password'))
    },
    onConnect(_, callback) {
      state.connections++
      callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.doing === 'refuse')
          return callback(Object.assign(new Error('not today'), { responseCode: 550 }))
        if (state.doing === 'hang') return
        arrived.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          text: Buffer.concat(chunks).toString(),
        })
        // It has the mail, and the sender never learns that.
        if (state.doing === 'die') for (const socket of sockets) socket.destroy()
        else callback(null, 'taken')
      })
    },
    ...options,
  })
  smtp.on('error', () => {})
  smtp.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => smtp.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((closed) => smtp.close(() => closed()))
  })
  const { port } = smtp.server.address() as AddressInfo
  const mail: MailSettings = {
    host: '127.0.0.1',
    port,
    secure: false,
    user: 'wigwag',
    password: 'p@ss:word',
    from: { name: 'Wigwag', address: 'wigwag@example.com' },
    alerts: ['ops@example.com'],
  }
  return {
    arrived,
    state,
    mail,
    url: `smtp://wigwag:${encodeURIComponent('p@ss:word')}@127.0.0.1:${port}`,
    port,
  }
}

/** A header's value, in one line. */
export function headerOf({ text }: Pick<Arrived, 'text'>, name: string): string | undefined {
  const [head = ''] = text.split('\r\n\r\n')
  const found = new RegExp(`^${name}:\\s*(.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head)
  const line = found?.[1]?.replace(/\r\n[ \t]+/g, ' ').replace(/\?= =\?UTF-8\?Q\?/g, '')
  return line?.replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, coded: string) =>
    decodeURIComponent(coded.replaceAll('_', ' ').replaceAll('%', '%25').replaceAll('=', '%')),
  )
}
