import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { epochMs, TicketMaker } from '../../src/kernel/ids.ts'
import { insertMessages } from '../../src/messages/messages.ts'
import { RUN, recipientKey, senderKey } from '../../src/messages/search-keys.ts'
import { tablesWith, textsInFiles } from '../privacy/stored.ts'
import { accepted } from '../support/accepted.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { startProcess } from './process.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

const NUMBER = '233249870017'
const TEXT = 'Ama, the lab has your results'

async function sendOne(email: string, to = NUMBER) {
  const account = await gateway.createAccount(email)
  const response = await gateway.send(account, { To: to, Content: TEXT })
  const { Ticket } = (await response.json()) as { Ticket: string }
  await gateway.finalOf(account, Ticket)
  return account
}

/** Reads the gateway's database beside it. */
async function look<T>(
  work: (database: ReturnType<typeof open>) => Promise<T>,
  url = gateway.database,
): Promise<T> {
  const database = open(url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

describe('wigwag number erase', () => {
  it('changes nothing without --yes, and refuses what is no number', async () => {
    await sendOne('asks@acme.example')
    const { code, stderr } = await gateway.operate(['number', 'erase', NUMBER])
    expect([code, stderr]).toEqual([2, expect.stringContaining("can't be undone; pass --yes")])
    expect(await look((database) => tablesWith(database, NUMBER))).toContain('messages')
    expect((await gateway.operate(['number', 'erase', '0249870017', '--yes'])).code).toBe(2)
  })

  it('takes the number and its text out of the file itself while the gateway runs, and says from where', async () => {
    await sendOne('erases@acme.example')
    const file = gateway.database.slice('file:'.length)
    expect(textsInFiles(file, NUMBER, TEXT)).toEqual([NUMBER, TEXT])
    const { code, stdout, stderr } = await gateway.operate([
      'number',
      'erase',
      `+${NUMBER}`,
      '--yes',
      '--vacuum',
      '--json',
    ])
    expect([code, stderr]).toEqual([0, ''])
    const { removed, underWay } = JSON.parse(stdout) as { removed: Record<string, number>; underWay: number }
    expect(underWay).toBe(0)
    expect(removed.messages).toBeGreaterThan(0)
    expect(textsInFiles(file, NUMBER, TEXT)).toEqual([])
    const again = await gateway.operate(['number', 'erase', NUMBER, '--yes', '--reason', 'request 17'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('found nowhere')])
    const audit = await gateway.operate(['audit', '--action', 'number.erase', '--json'])
    expect(JSON.parse(audit.stdout)[0]).toMatchObject({ detail: { reason: 'request 17' } })
  })

  it('finishes when it is run again after it was killed in the middle', async () => {
    const url = `file:${join(folder, 'killed.db')}`
    const rows = 6_000
    const secret = { WIGWAG_SECRET: 's'.repeat(32) }
    const made = startProgram(['migrate', '--database', url], { cwd: folder, env: secret })
    await made.ended
    await look((database) => putMessages(database, rows), url)
    const args = ['number', 'erase', NUMBER, '--yes', '--database', url]
    const first = startProcess(args, { cwd: folder, env: secret })
    const left = await killInTheMiddle(first, url, rows)
    const second = startProgram([...args, '--json'], { cwd: folder, env: secret })
    expect(await second.ended).toBe(0)
    expect((JSON.parse(second.stdout()) as { removed: object }).removed).toEqual({ messages: left })
    expect(await look((database) => tablesWith(database, NUMBER, TEXT), url)).toEqual([])
  })
})

/** Kills a command while it waits for the lock, with some rows erased. Returns how many are left. */
async function killInTheMiddle(
  { child, ended }: ReturnType<typeof startProcess>,
  url: string,
  rows: number,
): Promise<number> {
  const database = new Sqlite(url.slice('file:'.length), { timeout: 5_000 })
  const count = database.prepare("SELECT count(*) FROM messages WHERE recipient = 'erased'").pluck()
  try {
    const erased = await eventually('the first are erased', () => {
      database.exec('BEGIN IMMEDIATE')
      const found = Number(count.get())
      if (found > 0) return found
      database.exec('ROLLBACK')
      return undefined
    })
    child.kill('SIGKILL')
    await ended
    expect(erased).toBeLessThan(rows)
    return rows - erased
  } finally {
    database.close()
  }
}

const PAGE = join(import.meta.dirname, '../../../../docs/operating/privacy.md')

describe('the page about personal data', () => {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const commands = [...new Set(lines.filter((line) => line.startsWith('wigwag ')))]

  it.each(commands)('names a command that exists: %s', async (command) => {
    const [, ...words] = command.split(' ')
    const flags = words.filter((word) => word.startsWith('--'))
    const names = words.filter((word) => /^[a-z]+$/.test(word))
    const { code, stdout } = await runProgram([...names, '--help'], { cwd: folder })
    expect(code).toBe(0)
    for (const flag of flags) expect(stdout).toContain(flag)
  })

  it('names settings that exist', () => {
    const settings = lines.join('\n').match(/WIGWAG_RETAIN[A-Z_]*/g) ?? []
    for (const name of new Set(settings)) expect(() => loadConfig({}, { [name]: 'x' })).toThrow(name)
  })
})

/** Final messages to the number, without accounts or money. */
async function putMessages(database: ReturnType<typeof open>, count: number): Promise<void> {
  const newId = new TicketMaker((size) => new Uint8Array(size).fill(7)).make
  const at = epochMs(1_700_000_000_000)
  const common = accepted('w', { recipient: NUMBER, content: TEXT, createdAt: at, status: 'success' })
  await database.write(async (tx) => {
    const rows = Array.from({ length: count }, () => ({ ...common, id: newId(at) }))
    await insertMessages(tx, rows)
    await tx.run('UPDATE messages SET sender_key = $1, recipient_key = $2', [
      senderKey('w', 'WIGWAG', 'success'),
      recipientKey(1 + Math.floor(count / RUN), 'w', NUMBER),
    ])
  })
}

describe('wigwag account export and erase', () => {
  it('writes files that only their owner can read, and refuses a folder that has something in it', async () => {
    const account = await sendOne('exports@acme.example')
    const out = join(folder, 'exported')
    const args = ['account', 'export', 'exports@acme.example', '--out', out]
    const { code, stdout, stderr } = await gateway.operate([...args, '--json'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('delete it after use')])
    const { files } = JSON.parse(stdout) as { files: { file: string; rows: number }[] }
    expect(files).toContainEqual({ file: 'messages.jsonl', rows: 1 })
    expect(files).toContainEqual({ file: 'callback-attempts.jsonl', rows: 0 })
    const messages = join(out, 'messages.jsonl')
    expect(JSON.parse(readFileSync(messages, 'utf8'))).toMatchObject({ recipient: NUMBER, content: TEXT })
    expect(statSync(messages).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(out, 'keys.jsonl'), 'utf8')).not.toContain(account.clientSecret)
    const again = await gateway.operate(args)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has something in it')])
  })

  it('erases a suspended account beside the gateway, which then refuses its key', async () => {
    const account = await sendOne('leaves@acme.example')
    const erase = (...flags: string[]) => gateway.operate(['account', 'erase', account.accountId, ...flags])
    expect((await erase()).code).toBe(2)
    expect(await erase('--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('account suspend'),
    })
    await gateway.operate(['account', 'suspend', account.accountId])
    const { code, stdout, stderr } = await erase('--yes', '--despite-balance', '--vacuum', '--json')
    expect([code, stderr]).toEqual([0, expect.stringContaining('is erased')])
    expect(JSON.parse(stdout)).toMatchObject({ accountId: account.accountId, wallets: [{ currency: 'GHS' }] })
    expect(textsInFiles(gateway.database.slice('file:'.length), 'leaves@acme.example')).toEqual([])
    const shown = JSON.parse((await gateway.operate(['account', 'show', account.accountId, '--json'])).stdout)
    expect(shown).toMatchObject({ name: 'erased', clients: [], senders: [], people: [] })
    await eventually('the account is closed', async () => (await gateway.send(account)).status === 401)
  })
})
