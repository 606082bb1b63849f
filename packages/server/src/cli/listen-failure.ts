import { Failed } from './terminal.ts'

interface Place {
  host: string
  port: number
}

/** Says what is wrong with a place to listen, and which setting names another. */
export function listenFailure(error: unknown, { host, port }: Place, setting: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const place = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new Failed(`something else listens on ${place}; choose another port with ${setting}`)
  if (code === 'EACCES')
    return new Failed(`not permitted to listen on ${place}; choose a port above 1023 with ${setting}`)
  if (code === 'EADDRNOTAVAIL') {
    const ofHost = setting.replace('port', 'host').replace('PORT', 'HOST')
    return new Failed(`this machine has no address ${host}; choose another with ${ofHost}`)
  }
  return error
}
