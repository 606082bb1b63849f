import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passUntil } from '../support/hand-clock.ts'
import { emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { type MovedGateway, type RunningGateway, startGateway, startMovedGateway } from './gateway.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const OLD = { WIGWAG_SECRET: 'the old secret of a test'.repeat(2) }
const NEW = { WIGWAG_SECRET: 'the new secret of a test'.repeat(2) }
const BOTH = { ...NEW, WIGWAG_SECRET_PREVIOUS: OLD.WIGWAG_SECRET }
const REFUSAL =
  'wigwag: this database was sealed with another secret than WIGWAG_SECRET (or, in a sandbox without it, the file beside the database): put that secret back, or set WIGWAG_SECRET_PREVIOUS to it to move to the new one\n'

const folder = temporaryFolder()
let place: FreshPostgres
let gateway: MovedGateway
beforeAll(async () => {
  place = await emptyPostgres()
  gateway = await startMovedGateway(folder, place.url, OLD)
})
afterAll(() => place?.drop())

const operate = (args: readonly string[], env: Record<string, string>, input?: string) => {
  gateway.pass(1)
  return runProgram([...args, '--database', place.url], {
    cwd: folder,
    env,
    clock: gateway.clock,
    ...(input && { input }),
  })
}

describe('a wrong WIGWAG_SECRET', () => {
  it('starts no gateway, and says in one sentence what to do', async () => {
    const { ended, stderr } = startProgram(['serve', '--port', '0', '--database', place.url], {
      cwd: folder,
      env: { ...NEW, WIGWAG_METRICS_PORT: '0' },
    })
    expect(await ended).toBe(2)
    expect(stderr()).toBe(REFUSAL)
  })

  it('seals nothing, and the doctor says it', async () => {
    const { accountId } = await gateway.createAccount('wrong@acme.example')
    for (const args of [
      ['account', 'create', '--name', 'B', '--email', 'b@acme.example'],
      ['account', 'rotate-callback-secret', accountId],
      ['keys', 'rotate'],
      ['connector', 'add', 'https://wrong.example.com/mcp'],
      ['secret', 'reseal'],
    ]) {
      expect(await operate(args, NEW)).toEqual({ code: 2, stdout: '', stderr: REFUSAL })
    }
    const doctor = await operate(['doctor'], NEW)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(
      /^fail {2}secret +this database was sealed with another secret than WIGWAG_SECRET/m,
    )
    expect((await operate(['account', 'list'], NEW)).code).toBe(0)
  })
})

describe('the steps of docs/operating/secrets.md', () => {
  const page = readFileSync(new URL('../../../../docs/operating/secrets.md', import.meta.url), 'utf8')
  const commands = [...page.matchAll(/^ *wigwag (.+)$/gm)].map(([, command = '']) => command)

  it('move two gateways to a new secret while callbacks leave both', async () => {
    expect(commands.slice(0, 2)).toEqual(['secret reseal', 'doctor'])
    const received: string[] = []
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-signature']))
      response.end()
    }).listen(0, '127.0.0.1')
    const port = await gateway.until('the receiver listens', () => {
      const address = receiver.address()
      return typeof address === 'object' && address ? address.port : undefined
    })
    const account = await gateway.createAccount('ama@example.com')
    const callbackFrom = async (from: RunningGateway) => {
      const before = received.length
      const sent = await from.send(account, { CallbackUrl: `http://127.0.0.1:${port}/` })
      expect(sent.status).toBe(200)
      await gateway.until('the callback came', () => received.length > before)
    }

    // The first gateway still has the old secret alone.
    const restarted = await startGateway(folder, place.url, BOTH, gateway.clock)
    expect((await operate(['account', 'rotate-callback-secret', 'ama@example.com'], BOTH)).code).toBe(0)
    for (const each of [gateway, restarted]) await callbackFrom(each)
    const tooEarly = await operate(['secret', 'reseal'], BOTH)
    expect(tooEarly).toMatchObject({ code: 1, stdout: '' })
    expect(tooEarly.stderr).toMatch(
      /^wigwag: WIGWAG_SECRET: expected every gateway to know it, and \S+ \(version \S+\) does not: restart/,
    )
    await gateway.stop()

    const resealed = await operate(['secret', 'reseal', '--json'], BOTH)
    expect(JSON.parse(resealed.stdout)).toMatchObject({ stuck: [] })
    expect((await operate(['doctor'], BOTH)).stdout).toMatch(
      /^warn {2}secret +WIGWAG_SECRET_PREVIOUS is not needed any more/m,
    )
    expect((await operate(['account', 'rotate-callback-secret', 'ama@example.com'], NEW)).code).toBe(0)
    const last = await startGateway(folder, place.url, NEW, gateway.clock)
    for (const each of [restarted, last]) await callbackFrom(each)
    receiver.close()
  })

  async function oldKey(): Promise<string> {
    const { stdout } = await operate(['keys', 'list', 'ama@example.com', '--json'], NEW)
    const keys: { keyId: string; kind: string; endsAt: string | null }[] = JSON.parse(stdout)
    return keys.find(({ kind, endsAt }) => kind === 'client' && endsAt !== null)?.keyId ?? ''
  }

  it('are commands that work as they stand there', async () => {
    expect((await operate(['connector', 'add', 'https://mcp.example.com/mcp'], NEW)).code).toBe(0)
    for (const command of commands) {
      const words = command.split(' ')
      // Each database has other IDs than the page.
      if (command.startsWith('keys end')) words.splice(-1, 1, await oldKey())
      const run = operate(words, NEW, 'a long enough password')
      // Gateways look once a second for what they are asked.
      await passUntil(gateway, run)
      const { code, stderr, stdout } = await run
      // The clock of these gateways is ahead of the machine's, which is all that the doctor has to say.
      const wrong = stdout.match(/^(?:warn|fail) .*$/gm) ?? []
      const isOfClock = command === 'doctor' && wrong.every((line) => /^warn {2}clock /.test(line))
      expect({ command, code, stderr }).toMatchObject({ command, code: isOfClock ? wrong.length : 0 })
    }
  })
})
