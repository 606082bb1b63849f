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
    const { code, stdout, stderr } = await gateway.operate(['rates', 'import', file, '--yes', '--json'])
    expect({ code, stdout: JSON.parse(stdout) }).toMatchObject({ code: 0, stdout: { rates: 3, kept: 1 } })
    expect(stderr).toContain(`${file}:4: the price is kept but not used yet`)
    await gateway.until('the new price is charged', async () => (await gateway.costOf(account)) === 1.5)
    const again = csv('again.csv', HEADER, 'GH,,,,2.5,GHS', 'GH,620,02,Telecel,2,GHS')
    expect((await gateway.operate(['rates', 'import', again, '--yes'])).code).toBe(0)
    await gateway.until('the new price is charged', async () => (await gateway.costOf(account)) === 2.5)
    const list = await gateway.operate(['rates', 'list'])
    expect(list.stdout).toContain('Telecel')
    expect(list.stderr).toBe('')
  })
})

describe('another price list', () => {
  const rates = async (...args: string[]) => gateway.operate(['rates', ...args])
  const prices = async () => (await rates('export')).stdout
  const TWELVE = Array.from({ length: 12 }, (_, n) => `GH,620,${n + 10},Network ${n + 10},0.0${n + 10},GHS`)
  const put = async (name: string, ...lines: string[]) => {
    const done = await rates('import', csv(name, HEADER, ...lines), '--yes', '--json')
    expect(done.code, done.stderr).toBe(0)
    return JSON.parse(done.stdout) as { kept: number }
  }

  it('that takes prices away shows which, and changes nothing without --yes', async () => {
    await put('twelve.csv', ...TWELVE)
    const before = await prices()
    const one = csv('one.csv', HEADER, 'GH,620,10,Network 10,0.010,GHS')
    const refused = await rates('import', one)
    expect(refused.code).toBe(2)
    expect(refused.stdout).toMatch(/^COUNTRY +MCC +MNC +NETWORK +NOW +THEN +CURRENCY$/m)
    expect(refused.stdout.match(/^GH .* none +GHS$/gm)).toHaveLength(11)
    expect(refused.stderr).toBe(
      [
        `${one}:2: the price is kept but not used yet: no numbers are known for network 620/10 in GH`,
        'This takes 11 prices away.',
        'Where a country has no price, nothing can be sent.',
        'wigwag: add --yes to replace the prices; nothing was changed',
        '',
      ].join('\n'),
    )
    const forPrograms = await rates('import', one, '--json')
    expect(forPrograms).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(forPrograms.stderr.trim().split('\n').at(-1) ?? '')).toEqual({
      error: {
        message: 'add --yes to replace the prices; nothing was changed',
        exitCode: 2,
        added: 0,
        removed: 11,
        dearer: 0,
        cheaper: 0,
      },
    })
    expect(await prices()).toBe(before)
    expect(await rates('import', one, '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/This takes 11 prices away\.\n.*\nNothing was changed\.\n$/),
    })
    expect(await prices()).toBe(before)
  })

  it('asks where a price rises, but not where prices are new or fall', async () => {
    await put('before.csv', 'GH,,,,0.04,GHS', 'NG,,,,0.05,GHS')
    const change = (...lines: string[]) => rates('import', csv('next.csv', HEADER, ...lines))
    const dearer = await change('GH,,,,0.05,GHS', 'NG,,,,0.04,GHS')
    expect([dearer.code, dearer.stderr]).toEqual([
      2,
      'This raises 1 price and lowers 1 price.\nwigwag: add --yes to replace the prices; nothing was changed\n',
    ])
    expect(dearer.stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^GH +0\.04 +0\.05 +GHS$/),
      expect.stringMatching(/^NG +0\.05 +0\.04 +GHS$/),
    ])
    const cheaper = await change('GH,,,,0.03,GHS', 'NG,,,,0.05,GHS', 'KE,,,,0.01,GHS')
    expect(cheaper.code).toBe(0)
    expect(cheaper.stderr).toMatch(/^This adds 1 price and lowers 1 price\.\nThe price list was replaced: /)
    const same = await change('GH,,,,0.03,GHS', 'NG,,,,0.05,GHS', 'KE,,,,0.01,GHS')
    expect([same.code, same.stderr]).toEqual([0, 'These prices are in force already. Nothing was changed.\n'])
  })

  it('keeps the one before, which comes back by its number, is in the history and in the audit log', async () => {
    await put('first.csv', ...TWELVE)
    const first = await prices()
    const { kept } = await put('second.csv', 'GH,,,,0.9,GHS')
    const second = await prices()
    const unsure = await rates('restore', String(kept))
    expect([unsure.code, unsure.stderr]).toEqual([
      2,
      'This adds 12 prices and takes 1 price away.\nWhere a country has no price, nothing can be sent.\n' +
        'wigwag: add --yes to replace the prices; nothing was changed\n',
    ])
    expect(await prices()).toBe(second)
    const back = await rates('restore', String(kept), '--yes', '--by', 'ada', '--json')
    expect(JSON.parse(back.stdout)).toEqual({
      rates: 12,
      added: 12,
      removed: 1,
      dearer: 0,
      cheaper: 0,
      kept: kept + 1,
    })
    expect(await prices()).toBe(first)
    const history = JSON.parse((await rates('history', '--json')).stdout) as {
      inForce: { prices: number }
      earlier: { list: number; replacedBy: string; prices: number; until: string }[]
    }
    expect(history.inForce.prices).toBe(12)
    expect(history.earlier.slice(0, 2)).toMatchObject([
      { list: kept + 1, replacedBy: 'operator:ada', prices: 1, sample: false },
      { list: kept, prices: 12 },
    ])
    expect((await rates('history')).stdout).toMatch(/^LIST +IN FORCE SINCE +UNTIL +REPLACED BY +PRICES\n/)
    expect((await rates('history')).stdout).toMatch(/^1 .* \d+ \(sample\)$/m)
    const audited = await gateway.operate(['audit', '--action', 'rates', '--json'])
    expect(JSON.parse(audited.stdout)[0]).toMatchObject({
      actor: 'operator:ada',
      action: 'rates.restore',
      detail: { list: kept, rates: 12, kept: kept + 1 },
    })
    const gone = await rates('restore', '999', '--yes')
    expect([gone.code, gone.stderr]).toEqual([
      1,
      'wigwag: there is no earlier price list 999; wigwag rates history shows them all\n',
    ])
  })
})
