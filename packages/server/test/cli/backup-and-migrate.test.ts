import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { type RunningGateway, startGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

describe('wigwag backup', () => {
  it('copies everything while the gateway runs, for its owner only', async () => {
    const account = await gateway.createAccount('backup@acme.example')
    const sent = (await (await gateway.send(account)).json()) as { Ticket: string }
    const file = join(folder, 'copy.db')
    const { code, stdout, stderr } = await gateway.operate(['backup', file, '--json'])
    expect(code).toBe(0)
    expect(stderr).toContain(`copy ${join(folder, 'gateway.db.secret')} as well`)
    expect(JSON.parse(stdout)).toEqual({ file, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const copy = new Sqlite(file, { readonly: true })
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    const count = (table: string, id: string) =>
      copy.prepare(`SELECT count(*) FROM ${table} WHERE id = ?`).pluck().get(id)
    expect(count('accounts', account.accountId)).toBe(1)
    expect(count('messages', sent.Ticket)).toBe(1)
    copy.close()
  })

  it('overwrites nothing', async () => {
    const file = join(folder, 'precious.txt')
    writeFileSync(file, '')
    const { code, stderr } = await gateway.operate(['backup', file])
    expect(code).toBe(1)
    expect(stderr).toContain(`${file} already exists`)
    expect(statSync(file).size).toBe(0)
  })

  it('names the right program for PostgreSQL', async () => {
    const args = ['backup', join(folder, 'pg.dump'), '--database', 'postgres://127.0.0.1:1/nowhere']
    const { code, stderr } = await runProgram(args, { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toContain('pg_dump')
    expect(existsSync(join(folder, 'pg.dump'))).toBe(false)
  })
})

describe('wigwag migrate', () => {
  it('makes a database, says which steps it took, and takes none twice', async () => {
    const database = `file:${join(folder, 'fresh.db')}`
    const first = await runProgram(['migrate', '--database', database, '--json'], { cwd: folder })
    expect(JSON.parse(first.stdout).steps).toContain('0001_schema.sql')
    const second = await runProgram(['migrate', '--database', database, '--json'], { cwd: folder })
    expect({ code: second.code, stdout: JSON.parse(second.stdout) }).toEqual({
      code: 0,
      stdout: { database, steps: [], waiting: [], gateways: [] },
    })
  })
})
