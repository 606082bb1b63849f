import { describe, expect, it } from 'vitest'
import { bound, linkTo, shortMessage } from '../../../smpp/test/peers.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()

async function startCarrier(...args: string[]) {
  const running = startProgram(['smsc', '--port', '0', ...args], { cwd: folder })
  const setting = await eventually('it says how to connect', () => {
    if (running.child.exitCode !== null) throw new Error(running.stderr())
    return /WIGWAG_CARRIER='(.+)'/.exec(running.stderr())?.[1]
  })
  return { running, setting, port: Number(new URL(setting).port) }
}

describe('wigwag smsc', () => {
  it('says where it listens and which setting to copy, prints what it takes, and sends receipts', async () => {
    const { running, setting, port } = await startCarrier('--delay', '10')
    expect(setting).toBe(`smpp://demo:demo@127.0.0.1:${port}`)
    const { link, heard } = linkTo(port)
    await bound(link)
    for (let time = 0; time < 2; time++) {
      expect(await link.submit(shortMessage(), () => {})).toMatchObject({ kind: 'accepted' })
    }
    await eventually('both answers came', () => heard.length === 2)
    expect(heard[0]?.body.toString()).toMatch(/^id:[0-9a-f]+ .* stat:DELIVRD err:000 text:hello$/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(running.stdout()).toBe(
      'Wigwag to 233240000000: "hello"\nWigwag to 233240000000 [time 2]: "hello"\n',
    )
    expect(running.stderr()).toContain('Taken 2, of these more than once 1; refused 0, throttled 0.')
  })

  it('takes its settings from the command line', async () => {
    const asked = ['--password', 'pa ss', '--tps', '5', '--ids', 'mixed', '--receipts', 'tlv', '--json']
    const { running, setting, port } = await startCarrier(...asked, '--receipt-first', '--delay', '0')
    expect(setting).toBe(`smpp://demo:pa%20ss@127.0.0.1:${port}?tps=5`)
    expect(running.stderr()).toContain('hex-then-decimal')
    const refused = linkTo(port)
    await eventually('the bind is refused', () => refused.states.find((state) => state.includes('RINVPASWD')))
    const bind = {
      kind: 'transceiver',
      systemId: 'a',
      password: 'pa ss',
      systemType: '',
      version: 0x34,
    } as const
    const { link, heard } = linkTo(port, { bind, restMs: 5_000 })
    await bound(link)
    const answers = await Promise.all(Array.from({ length: 9 }, () => link.submit(shortMessage(), () => {})))
    expect(answers.filter(({ kind }) => kind === 'later').length).toBeGreaterThanOrEqual(3)
    expect(heard.every(({ body }) => body.length === 0)).toBe(true)
    const [first = ''] = await eventually('a message came', () =>
      running.stdout() === '' ? undefined : running.stdout().split('\n'),
    )
    expect(JSON.parse(first)).toMatchObject({ systemId: 'a', source: 'Wigwag', text: 'hello', times: 1 })
  })

  it.each([
    [['--ids', 'roman'], 'Allowed choices are hex, decimal, mixed'],
    [['--silent', '101'], 'Expected a whole number from 0 to 100'],
    [['--tps', 'many'], 'Expected a whole number, such as 10'],
    [['--delay', '1s'], 'Expected whole milliseconds, such as 500'],
  ])('exits 2 for %j and says what it expected', async (args, expected) => {
    const { code, stdout, stderr } = await runProgram(['smsc', ...args], { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
  })

  it('says so when something else listens on its port', async () => {
    const { port } = await startCarrier('--quiet')
    const { code, stderr } = await runProgram(['smsc', '--port', String(port)], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).toContain(`something else listens on 127.0.0.1:${port}; choose another port with --port`)
  })
})
