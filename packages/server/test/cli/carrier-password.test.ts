import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startMovedGateway } from './gateway.ts'
import { startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

it('a reload takes a new password from its file, and names those that it can’t read again', async () => {
  const smsc = startProgram(['smsc', '--port', '0', '--password', 'marlin'], { cwd: folder })
  const place = await eventually('the carrier listens', () => /127\.0\.0\.1:\d+/.exec(smsc.stderr())?.[0])
  const carriers = {
    filed: { url: `smpp://demo@${place}?reconnectMs=100`, passwordFile: 'secrets' },
    set: { url: 'smpp://demo@127.0.0.1:1', passwordEnv: 'SET' },
    written: { url: 'smpp://demo@127.0.0.1:1', passwordEnv: 'WRITTEN' },
  }
  const routes = [{ prefix: '', carriers: Object.keys(carriers).map((name) => ({ name })) }]
  write('carriers.json', JSON.stringify({ carriers, routes }))
  write('secrets', 'snapper\n')
  write('.env', 'WRITTEN=barracuda\n')
  const gateway = await startMovedGateway(folder, undefined, {
    WIGWAG_CARRIER: 'file:./carriers.json',
    SET: 'swordfish',
  })
  const reasonOf = async (): Promise<string> => {
    const { stdout } = await gateway.operate(['carriers', 'list', '--json'])
    const [first] = JSON.parse(stdout).processes
    const line = first?.carriers.find(({ carrier }: { carrier: string }) => carrier === 'filed')
    return `${line?.state} ${line?.reason}`
  }
  await gateway.until('the carrier refuses the old one', async () => /RINVPASWD/.test(await reasonOf()))
  write('secrets', 'marlin\n')
  const { code, stdout, stderr } = await gateway.during(gateway.operate(['carriers', 'reload']))
  expect(code).toBe(0)
  expect(stderr).toMatch(/^set: a reload can't read SET again, because .* restart the gateway, or /m)
  expect(stderr).not.toMatch(/^(?:filed|written): /m)
  expect(stdout + stderr).not.toMatch(/marlin|snapper|swordfish|barracuda/)
  await gateway.until('the carrier takes the new one', async () => /^up/.test(await reasonOf()))
})
