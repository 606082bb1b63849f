import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually, startProgram } from '../interop/program.ts'
import { openSandbox, type PictureSandbox } from './sandbox.ts'

const run = promisify(execFile)
const SINGLE = '/v1/messages/sms'
const TEXT = 'Your order 1042 is on its way. Kofi will be with you between 14:00 and 15:00.'

/**
 * A gateway on a bad night: its carrier north took six messages, answered for none of them and went down, what only north
 * can carry waits, and a customer's wallet is nearly empty.
 */
export async function openNight(main: string, folder: string): Promise<PictureSandbox> {
  const smsc = async (...flags: string[]) => {
    const args = [main, 'smsc', '--port', '0', ...flags]
    const program = await startProgram(process.execPath, args, { cwd: folder })
    const [, port = ''] = await program.line(/over SMPP on 127\.0\.0\.1:(\d+)/)
    return { ...program, url: `smpp://demo@127.0.0.1:${port}` }
  }
  const [north, south] = [await smsc('--silent', '100'), await smsc('--delay', '100')]
  const carrier = ({ url }: { url: string }) => ({ url, passwordEnv: 'CARRIER_PASSWORD' })
  writeFileSync(
    join(folder, 'carriers.json'),
    JSON.stringify({
      carriers: { north: carrier(north), south: carrier(south) },
      routes: [
        {
          prefix: '233',
          carriers: [
            { name: 'north', cost: '0.012' },
            { name: 'south', priority: 2, cost: '0.015' },
          ],
        },
        { prefix: '234', carriers: [{ name: 'north', cost: '0.02' }] },
        { prefix: '', carriers: [{ name: 'south', cost: '0.03' }] },
      ],
    }),
  )
  const sandbox = await openSandbox(main, folder, {
    WIGWAG_CARRIER: 'file:./carriers.json',
    CARRIER_PASSWORD: 'demo',
  })
  const wigwag = (...args: string[]) => run(process.execPath, [main, ...args], { cwd: folder })
  const send = (To: string) => sandbox.call(SINGLE, { From: 'WIGWAG', To, Content: TEXT })
  const overview = async (what: RegExp) => {
    const { stdout } = await wigwag('carriers', 'list')
    return what.test(stdout) || undefined
  }

  await eventually('both carriers are up', () => overview(/north .*\bup\b.*south .*\bup\b/s))
  for (let n = 0; n < 40; n++) await send(`2547123450${10 + n}`)
  for (let n = 0; n < 6; n++) await send(`23324123456${n}`)
  const taken = () => north.lines().filter((line) => line.includes(' to 2332412345')).length
  await eventually('north has them', async () => taken() === 6 || undefined)
  await north.kill()
  await eventually('north is away', () => overview(/north .*\baway\b/))
  for (let n = 0; n < 3; n++) await send(`23480327743${50 + n}`)

  const makola = ['--name', 'Makola Fresh', '--email', 'ops@makola.example', '--sender', 'MAKOLA']
  await wigwag('account', 'create', ...makola, '--balance', '0.35')
  await wigwag('wallet', 'warn', 'ops@makola.example', '--below', '20')
  await sandbox.call('/sandbox/controls', { Forward: '12m' })
  return {
    ...sandbox,
    async stop() {
      await sandbox.stop()
      await south.stop()
    },
  }
}
