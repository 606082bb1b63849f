import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { csvLine } from '../../src/kernel/text/csv.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startGateway(folder)
  account = await gateway.createAccount('messages@acme.example')
})

const bulk = (file: string, ...more: string[]) =>
  gateway.develop(account, ['bulk', file, '--from', 'ACME', '--content', 'Hello', '--json', ...more])

function csv(name: string, ...lines: string[]): string {
  const file = join(folder, name)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

/** The gateway, which answers the first bulk at once, and others when it is let. */
async function slowGateway(target: string) {
  let bulks = 0
  const { promise: letting, resolve: goOn } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const isBulk = request.url?.endsWith('/otm')
    const isLater = isBulk && bulks++ > 0
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (isLater) await letting
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    bulks: () => bulks,
    goOn,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
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

  it('draws how far it is on a terminal, and clears that at the end', async () => {
    csv('bar.csv', 'To', '233241234567', '233241234568')
    const { code, stderr } = await runProgram(
      ['bulk', 'bar.csv', '--from', 'ACME', '--content', 'Hello', '--json'],
      { cwd: folder, env: gateway.environmentOf(account), progress: true },
    )
    expect(code).toBe(0)
    const drawn = stderr.split('\r\u001b[K')
    expect(drawn[1]).toBe(`${'░'.repeat(30)} 0% 0 of 2`)
    expect(drawn.at(-2)).toBe(`${'█'.repeat(30)} 100% 2 of 2`)
    expect(drawn.at(-1)).not.toMatch(/[█░]/)
  })

  it('reads a reference of one of our own files without the apostrophes that guard it', async () => {
    const [head = '', line = ''] = [csvLine(['To', 'Reference']), csvLine(['233241234567', '=1;=2'])]
    expect(line).toContain("'=1;'=2")
    const { stdout } = await bulk(csv('guarded.csv', head.trimEnd(), line.trimEnd()))
    expect((JSON.parse(stdout) as BulkReport).recipients).toMatchObject([{ Reference: '=1;=2' }])
  })

  it('puts the columns that the text names into it, and sends escaped braces as they are', async () => {
    const file = csv('merged.csv', 'To,Name,Owes', '233241234567,"Ama, K.",5', '233241234568,Kofi,7')
    const { code, stdout } = await bulk(file, '--content', 'Dear {name}, you owe {Owes} \\{x\\}.')
    expect(code).toBe(0)
    const texts = (JSON.parse(stdout) as BulkReport).recipients.map(async ({ Ticket }) => {
      const { Content } = await gateway.finalOf(account, Ticket ?? '')
      return Content
    })
    expect(await Promise.all(texts)).toEqual(['Dear Ama, K., you owe 5 {x}.', 'Dear Kofi, you owe 7 {x}.'])
  })

  it('refuses the rows that have nothing to fill in, and sends the others', async () => {
    const file = csv('empty.csv', 'To,Name', '233241234567,Ama', '233241234568,', '233241234569," "')
    const { code, stdout } = await bulk(file, '--content', 'Dear {Name}, hi')
    expect(code).toBe(3)
    const why = 'Name: expected a text or a number to fill in for {Name}; got an empty text.'
    expect((JSON.parse(stdout) as BulkReport).recipients).toMatchObject([
      { line: 2, status: 'accepted' },
      { line: 3, status: 'refused', why },
      { line: 4, status: 'refused', why },
    ])
  })

  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ])('reads a file whose first line has %j between the columns, and says so', async (separator, name) => {
    const cells = [
      ['Name, in full', 'To', 'Reference'],
      ['Kesse, Ama', '233241234567', 'a,b'],
    ]
    const file = csv(`separated by ${name}.csv`, ...cells.map((row) => row.join(separator)))
    const { code, stdout, stderr } = await bulk(file, '--content', 'Dear {Name, in full}, hi')
    expect(code).toBe(0)
    expect(stderr).toContain(`${file}: its cells are separated by ${name}\n`)
    const [first] = (JSON.parse(stdout) as BulkReport).recipients
    expect(first).toMatchObject({ line: 2, To: '233241234567', Reference: 'a,b' })
    const { Content } = await gateway.finalOf(account, first?.Ticket ?? '')
    expect(Content).toBe('Dear Kesse, Ama, hi')
  })

  it('refuses a text that names a column which is not there, and names those that are', async () => {
    const file = csv('no-column.csv', 'To,Name', '233241234567,Ama')
    const missing = await bulk(file, '--content', 'Dear {Name}, {Sum} is due.')
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('--content names {Sum}, but ')
    expect(missing.stderr).toContain('has the columns To, Name;')
    const open = await bulk(file, '--content', 'Dear {Name')
    expect(open).toMatchObject({ code: 2, stdout: '' })
    expect(open.stderr).toContain('--content: expected a field such as {Name}')
  })

  it('reads standard input, names the rows that repeat a number, and sends to each number once', async () => {
    const rows = ['To', '233241234567', '233241234568', '233241234567', ''].join('\n')
    const args = ['bulk', '-', '--from', 'ACME', '--content', 'Hello', '--json']
    const env = gateway.environmentOf(account)
    const before = await gateway.balanceOf(account)
    const { code, stdout, stderr } = await runProgram(args, { cwd: folder, env, input: rows })
    expect(code).toBe(0)
    expect(stderr).toContain(
      '1 row repeats a number and is skipped\n-:4: 233241234567 is on line 2 already\n',
    )
    const report = JSON.parse(stdout) as BulkReport
    expect(report).toMatchObject({ accepted: 2, skipped: 1 })
    expect(report.recipients[2]).toMatchObject({
      line: 4,
      status: 'skipped',
      why: 'line 2 has the same number',
    })
    const price = before - (await gateway.balanceOf(account))
    const sent = await runProgram([...args, '--duplicates', 'send'], { cwd: folder, env, input: rows })
    expect(JSON.parse(sent.stdout)).toMatchObject({ accepted: 3, skipped: 0 })
    expect(before - (await gateway.balanceOf(account))).toBeCloseTo(price * 2.5, 6)
    const refused = await runProgram([...args, '--duplicates', 'refuse'], { cwd: folder, env, input: rows })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('is refused; nothing was sent')
  })

  it('shows with --dry-run what it would cost, and sends nothing', async () => {
    const before = await gateway.balanceOf(account)
    const file = csv('dry.csv', 'To,Name', '233241234567,Ama', '233241234568,Kofi', '0241234567,X')
    const { code, stdout, stderr } = await bulk(
      file,
      '--dry-run',
      '--content',
      `Dear {Name} ${'x'.repeat(160)}`,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Nothing was sent.\n' })
    expect(JSON.parse(stdout)).toMatchObject({
      recipients: 2,
      refused: 1,
      skipped: 0,
      segments: 4,
      currency: 'GHS',
      exact: true,
    })
    expect(JSON.parse(stdout).cost).toBeGreaterThan(0)
    expect(await gateway.balanceOf(account)).toBe(before)
  })

  it('lists with --dry-run the rows that would be refused, the first of them, and with --json all', async () => {
    const bad = Array.from({ length: 23 }, (_, at) => `02412345${10 + at},Kofi`)
    const file = csv('dry-bad.csv', 'To,Name', '233241234560,', ...bad, '233241234567,Ama', '99912345678,Esi')
    const dry = (...more: string[]) => bulk(file, '--dry-run', '--content', 'Dear {Name}', ...more)
    const report = JSON.parse((await dry()).stdout)
    expect(report).toMatchObject({ recipients: 1, refused: 25 })
    expect(report.refusals).toHaveLength(25)
    expect(report.refusals[0]).toEqual({
      line: 2,
      To: '233241234560',
      Reference: '',
      status: 'refused',
      why: 'Name: expected a text or a number to fill in for {Name}; got an empty text.',
    })
    expect(report.refusals[1]).toMatchObject({ line: 3, why: expect.stringContaining('which is never 0') })
    expect(report.refusals.at(-1)).toMatchObject({
      line: 27,
      why: expect.stringContaining('begins with none'),
    })
    const { stdout } = await gateway.develop(account, [
      'bulk',
      file,
      '--from',
      'ACME',
      '--content',
      'Dear {Name}',
      '--dry-run',
    ])
    expect(stdout).toMatch(/^refused +25\n/m)
    expect(stdout.match(/^\d+ .* refused .*$/gm)).toHaveLength(20)
    expect(stdout).toMatch(/^2 +233241234560 +refused +Name: expected /m)
    expect(stdout).toContain('\nand 5 more: --json shows all\n')
  })

  it('refuses what costs more than it may without a person at a terminal, unless --yes is given', async () => {
    const file = csv('dear.csv', 'To', '233241234567')
    const before = await gateway.balanceOf(account)
    const refused = await bulk(file, '--confirm-above', '0.01')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/this would cost GHS 0\.\d+, which is more than 0\.01: add --yes/)
    expect(await gateway.balanceOf(account)).toBe(before)
    expect((await bulk(file, '--confirm-above', '0.01', '--yes')).code).toBe(0)
  })

  it('prints a summary of a long list, and writes each row to a file that is such a result or new', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => `${233_241_000_100 + index}`)
    const file = csv('long.csv', 'To', ...numbers, '0241234567')
    const out = join(folder, 'result.csv')
    const run = (...more: string[]) =>
      gateway.develop(account, ['bulk', file, '--from', 'ACME', '--content', 'Hello', ...more])
    const { code, stdout, stderr } = await run('--out', out)
    expect(code).toBe(3)
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(stdout).toMatch(/^302 +0241234567 +refused +/m)
    expect(stderr).toContain('300 of 301 accepted, 1 refused')
    const [head, first, ...rest] = readFileSync(out, 'utf8').trimEnd().split('\r\n')
    expect([head, rest.length]).toEqual(['"Line","To","Reference","Status","Ticket","Why"', 300])
    expect(first).toMatch(/^2,"233241000100","","accepted","[0-9a-f-]{36}",$/)
    expect((await run('--out', out)).code).toBe(3)
    const other = await run('--out', file)
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(readFileSync(file, 'utf8')).toMatch(/^To\n/)
  })

  it('says at Ctrl-C how many were accepted, and the line that goes on so that no one gets it twice', async () => {
    const numbers = Array.from({ length: 6_000 }, (_, index) => `${233_241_000_100 + index}`)
    const file = csv("ama's list.csv", 'To', ...numbers)
    const rich = await gateway.createAccount('stops@acme.example', '--balance', '6000')
    const slow = await slowGateway(gateway.url)
    const env = { ...gateway.environmentOf(rich), WIGWAG_BASE_URL: slow.url }
    const args = ['bulk', file, '--from', 'ACME', '--content', 'Hello', '--yes']
    const running = startProgram(args, { cwd: folder, env })
    await eventually('the second part is on its way', () => slow.bulks() > 1)
    running.child.kill('SIGINT')
    slow.goOn()
    const code = await running.ended
    await slow.close()
    expect(code).toBe(3)
    const stderr = running.stderr()
    const [, accepted, unsent] = /stopped: (\d+) of 6000 accepted, (\d+) not sent/.exec(stderr) ?? []
    expect(Number(accepted) + Number(unsent)).toBe(6_000)
    expect(Number(accepted)).toBeGreaterThan(0)
    const [, line = ''] = /To go on, so that no one gets it twice:\n {2}wigwag (.*)\n$/.exec(stderr) ?? []
    const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)]
    const again = words.map(([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? '')
    expect(again.slice(0, 2)).toEqual(['bulk', file])
    const resumed = await gateway.develop(rich, again)
    expect(resumed.stderr).toContain('6000 of 6000 accepted.')
    const estimated = await gateway.develop(rich, [...args, '--dry-run', '--json'])
    const { cost } = JSON.parse(estimated.stdout) as { cost: number }
    expect(6_000 - (await gateway.balanceOf(rich))).toBeCloseTo(cost, 4)
  })

  it('sends nothing more after Ctrl-C than is under way, when each row has a text of its own', async () => {
    const numbers = Array.from({ length: 600 }, (_, index) => `${233_241_000_100 + index},n${index}`)
    const file = csv('own-texts.csv', 'To,Name', ...numbers)
    const slow = await slowGateway(gateway.url)
    const env = { ...gateway.environmentOf(account), WIGWAG_BASE_URL: slow.url }
    const args = ['bulk', file, '--from', 'ACME', '--content', 'Dear {Name}', '--yes', '--json']
    const running = startProgram(args, { cwd: folder, env })
    await eventually('four requests are under way', () => slow.bulks() === 5)
    running.child.kill('SIGINT')
    slow.goOn()
    expect(await running.ended).toBe(3)
    await slow.close()
    expect(JSON.parse(running.stdout())).toMatchObject({ accepted: 5, uncertain: 0, unsent: 595 })
    expect(running.stderr()).toContain('stopped: 5 of 600 accepted, 595 not sent')
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

  it('says of a key of another text or list what it is, and not to go on with it', async () => {
    const file = csv('first.csv', 'To', '233241234567')
    await bulk(file, '--idempotency-key', 'run-2')
    const other = csv('other.csv', 'To', '233241234568')
    const { code, stdout, stderr } = await bulk(other, '--idempotency-key', 'run-2')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(
      'but this one belongs to another: run without it, or with the former text and file',
    )
    expect(stderr).not.toContain('To go on')
  })

  it('names all columns that the text needs, and the row of a quote that is not closed', async () => {
    const noTo = csv('no-to.csv', 'Phone,Name', '233241234567,Ama')
    const lacking = await gateway.develop(account, [
      'bulk',
      noTo,
      '--from',
      'ACME',
      '--content',
      'Dear {Name}',
    ])
    expect(lacking.stderr).toContain('expected the columns To,Name and perhaps Reference')
    const quote = csv(
      'quote.csv',
      'To,Name',
      '233241234567,Ama',
      '233241234568,"Kofi',
      '233241234569,Esi',
      '',
    )
    const open = await gateway.develop(account, ['bulk', quote, '--from', 'ACME', '--content', 'Dear {Name}'])
    expect(open.stderr).toContain('quote.csv:3: expected a quote for each that is opened')
  })

  it('sends nothing from a file that is no list of recipients', async () => {
    const columns = await bulk(csv('columns.csv', 'Phone', '233241234567'))
    expect(columns.code).toBe(1)
    expect(columns.stderr).toContain(
      'expected the columns To and perhaps Reference, separated by commas, semicolons or tabs; got Phone',
    )
    const cells = await bulk(csv('cells.csv', 'To,Reference', '233241234567', '233241234568,a'))
    expect(cells.code).toBe(1)
    expect(cells.stderr).toContain('cells.csv:2: expected 2 cells')
    const missing = await bulk(join(folder, 'missing.csv'))
    expect(missing).toMatchObject({ code: 2, stdout: '' })
  })
})
