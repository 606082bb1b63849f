import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const HEADER = 'country,mcc,mnc,network,price,currency'
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
})

function csv(name: string, ...lines: string[]): string {
  const file = join(folder, name)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

describe('wigwag rates', () => {
  it('says that the prices are the sample until others are imported', async () => {
    const { stdout, stderr } = await gateway.operate(['rates', 'list', '--country', 'gh', '--json'])
    const { sample, rates } = JSON.parse(stdout) as { sample: boolean; rates: { country: string }[] }
    expect(sample).toBe(true)
    expect(new Set(rates.map(({ country }) => country))).toEqual(new Set(['GH']))
    expect(stderr).toContain('built-in sample')
  })

  it('changes nothing when a row is wrong, and names every such row, what was expected and what came', async () => {
    const before = await gateway.operate(['rates', 'list', '--json'])
    const file = csv(
      'bad.csv',
      HEADER,
      'GH,,,,0.04,GHS',
      'Ghana,,,,0.04,GHS',
      'GH,620,,MTN,0.04,GHS',
      '',
      'GH,620,01,MTN,cheap,GHS',
      'GH,,,,0.05,GHS',
      'NG,,,,0.04',
      'KE,,,,0.04,cedi',
    )
    const { code, stdout, stderr } = await gateway.operate(['rates', 'import', file])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trim().split('\n')).toEqual([
      'wigwag: 6 rows are wrong, so none was taken',
      `${file}:3: expected country to be the two capital letters of a country, such as GH, got "Ghana"`,
      `${file}:4: expected both mcc and mnc or neither, got "620,"`,
      `${file}:6: price: expected an amount such as 50 or 0.045, with at most 6 decimals, got "cheap"`,
      `${file}:7: expected one price for each destination, but line 2 has one too`,
      `${file}:8: expected 6 cells, as the first line has, got 5`,
      `${file}:9: expected currency to be the code of a currency in use (ISO 4217) in capital letters, such as GHS, got "cedi"`,
    ])
    expect((await gateway.operate(['rates', 'list', '--json'])).stdout).toBe(before.stdout)
  })

  it('refuses a file without the right columns, an empty list and a file that is not there', async () => {
    const columns = await gateway.operate(['rates', 'import', csv('columns.csv', 'country,price', 'GH,1')])
    expect(columns.code).toBe(1)
    expect(columns.stderr).toContain(
      `expected the columns ${HEADER}, separated by commas, semicolons or tabs; got country,price`,
    )
    const more = await gateway.operate([
      'rates',
      'import',
      csv('more.csv', `${HEADER},note`, 'GH,,,,1,GHS,x'),
    ])
    expect(more.code).toBe(1)
    expect(more.stderr).toContain(`got ${HEADER},note`)
    const empty = await gateway.operate(['rates', 'import', csv('empty.csv', HEADER)])
    expect(empty.code).toBe(1)
    expect(empty.stderr).toContain('expected at least one rate')
    const missing = await gateway.operate(['rates', 'import', join(folder, 'missing.csv')])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('there is no file')
    const directory = await gateway.operate(['rates', 'import', folder])
    expect(directory).toMatchObject({
      code: 2,
      stderr: `wigwag: ${folder}: expected a CSV file, got a folder\n`,
    })
  })

  it('charges the new price soon after every import', async () => {
    const account = await gateway.createAccount('rates@acme.example')
    expect((await gateway.send(account)).status).toBe(200)
    const file = csv(
      'good.csv',
      `\uFEFF${HEADER}`,
      'GH,,,,1.5,GHS',
      'GH,620,02,Telecel,2,GHS',
      'GH,620,99,New,3,GHS',
    )
    const { code, stdout, stderr } = await gateway.operate(['rates', 'import', file, '--json'])
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: { rates: 3 } })
    expect(stderr).toContain(`${file}:4: the price is kept but not used yet`)
    await gateway.until('the new price is charged', async () => (await gateway.costOf(account)) === 1.5)
    const again = csv('again.csv', HEADER, 'GH,,,,2.5,GHS', 'GH,620,02,Telecel,2,GHS')
    expect((await gateway.operate(['rates', 'import', again])).code).toBe(0)
    await gateway.until('the new price is charged', async () => (await gateway.costOf(account)) === 2.5)
    const list = await gateway.operate(['rates', 'list'])
    expect(list.stdout).toContain('Telecel')
    expect(list.stderr).toBe('')
  })
})
