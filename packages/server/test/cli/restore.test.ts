import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import { startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const ENV = { WIGWAG_CARRIER: 'file:./carriers.json', NORTH: 'demo' }

/** As docs/operating/backups.md has it: the page's commands are run elsewhere, without messages that wait. */
describe('a copy of an SQLite database that is put back', () => {
  it('sends nothing again that was sent after it was made, until the carriers are resumed', async () => {
    const north = await fakeCarrier({ receipts: 'none' })
    const carriers = { north: { url: `smpp://demo@127.0.0.1:${north.port}`, passwordEnv: 'NORTH' } }
    writeFileSync(
      join(folder, 'carriers.json'),
      JSON.stringify({ carriers, routes: [{ prefix: '', carriers: [{ name: 'north' }] }] }),
    )
    const gateway = await startMovedGateway(folder, undefined, ENV)
    const account = await gateway.createAccount('restore@acme.example')
    await gateway.operate(['carriers', 'pause', 'north'])
    await gateway.until('it is paused', async () =>
      (await gateway.operate(['carriers', 'list'])).stdout.includes('paused'),
    )
    const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
    const backup = join(folder, 'backup.db')
    const copied = await gateway.operate(['backup', backup])
    expect(copied.code, copied.stderr).toBe(0)
    // As if it were made in the moment before the message was submitted.
    const copy = new Sqlite(backup)
    copy.exec('DELETE FROM carrier_pauses')
    copy.close()
    await gateway.operate(['carriers', 'resume', '--all'])
    await gateway.until('it is sent', () => north.taken.length === 1)
    await gateway.stop()

    for (const name of readdirSync(folder).filter((one) => /^gateway\.db(-|$)/.test(one)))
      renameSync(join(folder, name), join(folder, `lost-${name}`))
    renameSync(backup, join(folder, 'gateway.db'))
    const paused = await gateway.operate(['carriers', 'pause', '--all'])
    expect(paused.stderr).toContain('north is paused.')

    const again = await startMovedGateway(folder, undefined, ENV)
    await again.until('its carrier is paused', async () =>
      / paused /.test((await again.operate(['carriers', 'list'])).stdout),
    )
    const stuck = async () => (await again.operate(['messages', 'stuck', '--before', '0m'])).stdout
    await again.until('it waits', async () => (await stuck()).includes('its carrier is paused'))
    expect(await stuck()).toContain(Ticket)
    expect(north.taken).toHaveLength(1)

    await again.operate(['carriers', 'resume', '--all'])
    await again.until('it is sent again', () => north.taken.length === 2)
  })
})
