import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTo, emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let place: FreshPostgres
let gateway: MovedGateway
beforeAll(async () => {
  place = await emptyPostgres()
  gateway = await startMovedGateway(folder, place.url)
})
afterAll(() => place?.drop())

/** Changes rows behind everybody's back, looks with the doctor, and puts them back. */
async function doctorAfter(change: string, undo: string) {
  const client = await connectTo(place.url)
  try {
    expect((await client.query(change)).rowCount).toBeGreaterThan(0)
    const found = await gateway.operate(['doctor'])
    await client.query(undo)
    return found
  } finally {
    await client.end()
  }
}

describe('operator commands on PostgreSQL', () => {
  it('make no tables in a database that cannot hold every text', async () => {
    const latin = await emptyPostgres('LATIN1')
    try {
      const { code, stderr } = await runProgram(['migrate', '--database', latin.url], { cwd: folder })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          /expected a database with the encoding UTF8, got LATIN1: make another one/,
        ),
      })
    } finally {
      await latin.drop()
    }
  })

  it('make, credit, suspend and resume an account beside a running gateway', async () => {
    const account = await gateway.createAccount('pg@acme.example')
    expect((await gateway.operate(['wallet', 'credit', 'PG@acme.example', '--amount', '0.5'])).code).toBe(0)
    expect(await gateway.balanceOf(account)).toBe(100.5)
    expect((await gateway.send(account)).status).toBe(200)
    expect((await gateway.operate(['account', 'suspend', 'pg@acme.example'])).code).toBe(0)
    await gateway.until('it is refused', async () => (await gateway.send(account)).status === 403)
    expect((await gateway.operate(['account', 'resume', 'pg@acme.example'])).code).toBe(0)
    await gateway.until('it is taken', async () => (await gateway.send(account)).status === 200)
    const sent = (await (await gateway.send(account)).json()) as { Ticket: string }
    expect(await gateway.finalOf(account, sent.Ticket)).toMatchObject({ Status: 'success' })
  })

  it('import rates that are soon charged', async () => {
    const account = await gateway.createAccount('pg-rates@acme.example')
    expect((await gateway.send(account)).status).toBe(200)
    const file = join(folder, 'rates.csv')
    writeFileSync(file, 'country,mcc,mnc,network,price,currency\nGH,,,,1.25,GHS\n')
    expect((await gateway.operate(['rates', 'import', file, '--yes'])).code).toBe(0)
    await gateway.until('the new price is charged', async () => (await gateway.costOf(account)) === 1.25)
  })

  it('find nothing wrong with a healthy database, and what is wrong with another', async () => {
    const healthy = await gateway.operate(['doctor'])
    expect(healthy).toMatchObject({ code: 0, stderr: '' })
    expect(healthy.stdout).toMatch(/^ok {4}engine +PostgreSQL \d+/m)
    expect(healthy.stdout).toMatch(
      /^ok {4}ledger +\d+ wallets and \d+ entries: no gap, and everything adds up$/m,
    )
    const gap = await doctorAfter(
      'UPDATE ledger SET seq = seq + 1000 WHERE seq > 1',
      'UPDATE ledger SET seq = seq - 1000 WHERE seq > 1',
    )
    expect(gap.code).toBe(1)
    expect(gap.stdout).toMatch(/^fail {2}ledger .*: entry 100\d does not follow the one before it$/m)
    const sum = await doctorAfter(
      'UPDATE wallets SET posted = posted + 1',
      'UPDATE wallets SET posted = posted - 1',
    )
    expect(sum.code).toBe(1)
    expect(sum.stdout).toMatch(/^fail {2}ledger .*: says [\d.]+, its entries add up to [\d.]+$/m)
    expect((await gateway.operate(['doctor'])).code).toBe(0)
  })

  it('leave the backup to the program that PostgreSQL brings', async () => {
    const { code, stderr } = await gateway.operate(['backup', join(folder, 'pg.dump')])
    expect(code).toBe(2)
    expect(stderr).toContain('pg_dump --format=custom')
    expect(existsSync(join(folder, 'pg.dump'))).toBe(false)
  })

  it('say so when nobody answers there', async () => {
    const nowhere = ['--database', 'postgres://user:password@127.0.0.1:1/wigwag']
    const { code, stdout, stderr } = await runProgram(['account', 'list', ...nowhere], { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^wigwag: no connection to PostgreSQL \(.*ECONNREFUSED.*\)\n$/)
    const doctor = await runProgram(['doctor', ...nowhere], { cwd: folder })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/^fail {2}engine +no connection to PostgreSQL/m)
    expect(doctor.stdout + doctor.stderr).not.toContain('password')
  })
})
