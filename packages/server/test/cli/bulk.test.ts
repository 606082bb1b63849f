import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startGateway(folder)
  account = await gateway.createAccount('messages@acme.example')
})

const bulk = (file: string, ...more: string[]) =>
  gateway.develop(account, ['bulk', file, '--from', 'ACME', '--text', 'Hello', '--json', ...more])

function csv(name: string, ...lines: string[]): string {
  const file = join(folder, name)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

interface BulkReport {
  accepted: number
  refused: number
  recipients: { line: number; To: string; Reference: string; status: string; Ticket?: string; why?: string }[]
}

describe('wigwag bulk', () => {
  it('sends to everybody in a file, with the references of their rows', async () => {
    const file = csv('all.csv', 'Name,To,Reference', '"Ama, K.",233241234567,a', 'Kofi,233241234568,b')
    const { code, stdout } = await bulk(file)
    const report = JSON.parse(stdout) as BulkReport
    expect(code).toBe(0)
    expect(report).toMatchObject({ accepted: 2, refused: 0 })
    const [first] = report.recipients
    const record = await gateway.finalOf(account, first?.Ticket ?? '')
    expect(record).toMatchObject({ Status: 'success', Reference: 'a' })
  })

  it('sends braces as they are', async () => {
    const { code, stdout } = await bulk(
      csv('braces.csv', 'To,Name', '233241234567,Ama'),
      '--text',
      '{Name} \\{x} {',
    )
    expect(code).toBe(0)
    const [first] = (JSON.parse(stdout) as BulkReport).recipients
    expect(await gateway.finalOf(account, first?.Ticket ?? '')).toMatchObject({ Content: '{Name} \\{x} {' })
  })

  it('exits 3 when a part was refused, and says line by line what became of each', async () => {
    const { code, stdout, stderr } = await bulk(
      csv('some.csv', 'To', '233241234567', '0241234567', '233241234568'),
    )
    expect(code).toBe(3)
    const { recipients } = JSON.parse(stdout) as BulkReport
    expect(recipients).toMatchObject([
      { line: 2, status: 'accepted' },
      { line: 3, To: '0241234567', status: 'refused', why: expect.stringContaining('never 0') },
      { line: 4, status: 'accepted' },
    ])
    expect(stderr).toContain('2 of 3 accepted')
  })

  it('exits 1 when nobody was accepted, and charges nothing', async () => {
    const before = await gateway.balanceOf(account)
    const file = csv('none.csv', 'To', '0241234567')
    const { code } = await bulk(file)
    expect(code).toBe(1)
    const refused = await bulk(csv('sender.csv', 'To', '233241234567'), '--from', 'NOBODY')
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toContain("Sender 'NOBODY' is not one of this account")
    expect(await gateway.balanceOf(account)).toBe(before)
  })

  it('sends nothing twice when a run is repeated with its key', async () => {
    const file = csv('again.csv', 'To', '233241234567', '0241234567')
    const first = JSON.parse((await bulk(file, '--idempotency-key', 'run-1')).stdout) as BulkReport
    const second = JSON.parse((await bulk(file, '--idempotency-key', 'run-1')).stdout) as BulkReport
    expect(second).toEqual(first)
  })

  it('sends nothing from a file that is no list of recipients', async () => {
    const columns = await bulk(csv('columns.csv', 'Phone', '233241234567'))
    expect(columns.code).toBe(1)
    expect(columns.stderr).toContain('expected the columns To and perhaps Reference, got Phone')
    const cells = await bulk(csv('cells.csv', 'To,Reference', '233241234567', '233241234568,a'))
    expect(cells.code).toBe(1)
    expect(cells.stderr).toContain('cells.csv:2: expected 2 cells')
    const missing = await bulk(join(folder, 'missing.csv'))
    expect(missing).toMatchObject({ code: 2, stdout: '' })
  })
})
