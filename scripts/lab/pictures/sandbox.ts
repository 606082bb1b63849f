import { startProgram } from '../interop/program.ts'

/** A sandbox that runs beside this program, with the credentials of its demo account. */
export interface PictureSandbox {
  url: string
  deskUrl: string
  email: string
  password: string
  /** Calls the API as the demo account's program. */
  call(path: string, body: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

export async function openSandbox(
  main: string,
  folder: string,
  settings: Record<string, string> = {},
): Promise<PictureSandbox> {
  const program = await startProgram(process.execPath, [main, 'serve', '--port', '0'], {
    cwd: folder,
    env: { WIGWAG_CALLBACK_ALLOW: '127.0.0.0/8', WIGWAG_SIMULATOR_DELAY_MS: '300', ...settings },
  })
  const value = async (name: string) =>
    (await program.line(new RegExp(`^export WIGWAG_${name}=(.+)$`)))[1] ?? ''
  const url = await value('BASE_URL')
  const [, deskUrl = ''] = await program.line(/operators\s+(http\S+)\/$/)
  const authorization = `Basic ${btoa(`${await value('CLIENT_ID')}:${await value('CLIENT_SECRET')}`)}`
  const wallet = await value('WALLET_TOKEN')
  const [, email = '', password = ''] = await program.line(/with (\S+) and the password (\S+)$/)
  return {
    url,
    deskUrl,
    email,
    password,
    async call(path, body) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization, 'x-wallet': `Token ${wallet}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Record<string, unknown>
    },
    stop: () => program.stop(),
  }
}
