import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { MailSettings } from '../../src/config/mail-settings.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { composed, explain, sendMail } from '../../src/mail/index.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { headerOf, startSmtp } from './smtp.ts'

const A_LOOK = 15_000
const A_MINUTE = 60_000
const AN_HOUR = 3_600_000
const A_DAY = 24 * AN_HOUR

const LEAVING = {
  id: '01a20466-0a11-7d2e-9c3b-5f1e2d3c4b5a',
  recipient: 'ops@example.com',
  createdAt: epochMs(Date.parse('2026-01-05T09:00:00Z')),
  ...composed('A subject', ['A sentence.']),
}
const never = new AbortController().signal

/** A failure, from which a mail comes. */
const break_ = ({ database }: Bench, id = 'j') =>
  database.write(({ run }) =>
    run(
      `INSERT INTO outbox (id, kind, run_at, lease_until, lapsed, epoch, attempts, submitted_at, expires_at, faults, lane, handed_at, owner)
       VALUES ($1, 'callback', 9999999999999, 0, 0, 0, 0, 0, 0, 30, '', 0, 'o')`,
      [id],
    ),
  )

const left = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ id: string }>("SELECT id FROM mails UNION SELECT id FROM outbox WHERE lane = 'mail'", []),
  )

const openOn = (database: string, mail: MailSettings, { lookMs = A_LOOK, pollMs = A_DAY } = {}) =>
  openBench({ database, config: { mail, alertCheckMs: lookMs, pollMs } })

describe('a mail', () => {
  it('is plain text that says that a program sent it, over TLS and as the user of the setting', async () => {
    const { arrived, mail } = await startSmtp()
    expect(await sendMail(mail, LEAVING, never)).toBe('250 taken')
    const [one] = arrived
    if (!one) throw new Error('nothing came')
    expect(one).toMatchObject({
      from: 'wigwag@example.com',
      to: ['ops@example.com'],
      secure: true,
      user: 'wigwag',
    })
    expect(headerOf(one, 'From')).toBe('Wigwag <wigwag@example.com>')
    expect(headerOf(one, 'Subject')).toBe('A subject')
    expect(headerOf(one, 'Auto-Submitted')).toBe('auto-generated')
    expect(headerOf(one, 'Message-ID')).toBe(`<${LEAVING.id}@example.com>`)
    expect(headerOf(one, 'Date')).toBe('Mon, 05 Jan 2026 09:00:00 +0000')
    expect(headerOf(one, 'Content-Type')).toMatch(/^text\/plain; charset=utf-8/i)
    expect(one.text).toContain('A sentence.')
    expect(one.text).not.toMatch(/http|html/i)
  })

  it('is not sent with a wrong password, and the error does not say it', async () => {
    const { arrived, mail } = await startSmtp()
    const sent = sendMail({ ...mail, password: 'not-this-one' }, LEAVING, never)
    const said = explain(await sent.catch((error: unknown) => error))
    expect(said).toMatch(/Invalid login: 535/)
    expect(said).not.toContain('not-this-one')
    expect(arrived).toEqual([])
  })

  it('has a password only for a server elsewhere that offers TLS', async () => {
    // This machine by a name that is not known for that.
    const { arrived, state, mail } = await startSmtp({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    })
    const elsewhere = { ...mail, host: '127.0.0.1.nip.invalid' }
    await expect(sendMail(elsewhere, LEAVING, never)).rejects.toThrow()
    const mapped = { ...mail, host: '::ffff:127.0.0.1' }
    await expect(sendMail(mapped, LEAVING, never)).rejects.toThrow(/STARTTLS|TLS/)
    expect([arrived, state.connections]).toEqual([[], 1])
  })

  it('has a subject of one line of at most 70 characters, and no part of it is a header', () => {
    const { subject, body } = composed(`A${'é'.repeat(90)}`, ['one\u0000\r\n.\r\nQUIT', '\u202etwo'])
    expect(subject.length).toBeLessThanOrEqual(70)
    expect(composed('A\r\nBcc: x@example.com', []).subject).toBe('A Bcc: x@example.com')
    expect(body).toBe('one . QUIT\n\ntwo\n')
    expect(composed('👩‍👩‍👧‍👦'.repeat(20), []).subject).toMatch(/^(?:👩‍👩‍👧‍👦)+…$/u)
    expect(composed('x'.repeat(2 ** 21), ['y'.repeat(2 ** 21)]).body.length).toBeLessThanOrEqual(1_000)
  })

  it('gets no answer of more than a line, whatever the server says', () => {
    expect(explain(new Error(`a\r\n${'b'.repeat(2 ** 21)}`))).toMatch(/^a b+…$/)
  })
})

describe.each(ENGINES)('mails to the operator, on %s', (engine) => {
  it('tell of alerts, each once to each address, with the desk', async () => {
    const { arrived, mail } = await startSmtp()
    const bench = await openOn(await aPlace(engine), { ...mail, alerts: ['a@example.com', 'b@example.com'] })
    await break_(bench)
    await bench.advance(A_MINUTE)
    expect(arrived.map(({ to }) => to).sort()).toEqual([['a@example.com'], ['b@example.com']])
    const [one] = arrived
    if (!one) throw new Error('nothing came')
    expect(headerOf(one, 'Subject')).toMatch(/1 job keeps failing/)
    await bench.database.write(({ run }) => run("DELETE FROM outbox WHERE id = 'j'", []))
    await bench.advance(3 * A_MINUTE)
    expect(arrived).toHaveLength(4)
    expect(await left(bench)).toEqual([])
  })

  it('come when the server takes them again, in growing pauses', async () => {
    const { arrived, state, mail } = await startSmtp()
    const bench = await openOn(await aPlace(engine), mail, { lookMs: AN_HOUR / 2 })
    state.doing = 'refuse'
    await break_(bench)
    await bench.advance(1.5 * AN_HOUR)
    expect(arrived).toEqual([])
    expect(state.connections).toBe(6)
    state.doing = 'take'
    await bench.advance(AN_HOUR)
    expect(arrived).toHaveLength(1)
    const metrics = await (await bench.call('GET', '/metrics')).text()
    expect(metrics).toContain('wigwag_mail_attempts_total{outcome="again"} 6')
    expect(metrics).toContain('wigwag_mail_attempts_total{outcome="sent"} 1')
    expect(await left(bench)).toEqual([])
  })

  it('come at most twice, as one mail, where the server dies with it', async () => {
    const { arrived, state, mail } = await startSmtp()
    const bench = await openOn(await aPlace(engine), mail)
    state.doing = 'die'
    await break_(bench)
    await bench.until('the server died', () => arrived.length === 1)
    state.doing = 'take'
    await bench.advance(AN_HOUR)
    expect(arrived).toHaveLength(2)
    expect(new Set(arrived.map((one) => headerOf(one, 'Message-ID'))).size).toBe(1)
    expect(await left(bench)).toEqual([])
  })
})

describe('mails to the operator', () => {
  it('are given up after a day', async () => {
    const { state, mail } = await startSmtp()
    const bench = await openOn(':memory:', mail, { lookMs: AN_HOUR })
    state.doing = 'refuse'
    await break_(bench)
    await bench.advance(24 * AN_HOUR)
    expect(await left(bench)).toHaveLength(1)
    await bench.advance(2 * AN_HOUR)
    expect(await left(bench)).toEqual([])
    const metrics = await (await bench.call('GET', '/metrics')).text()
    expect(metrics).toContain('wigwag_mail_attempts_total{outcome="given up"} 1')
  })

  it('hold nothing while the server hangs: sends, callbacks and the stop go on', async () => {
    const { state, mail } = await startSmtp()
    const bench = await openOn(':memory:', {
      ...mail,
      alerts: ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => `${one}@example.com`),
    })
    state.doing = 'hang'
    await break_(bench)
    bench.pass(A_LOOK)
    await bench.passUntil('four mails hang', () => state.connections >= 4, 0)
    const answer = await bench.call(
      'POST',
      '/v1/messages/sms',
      {},
      {
        From: 'WIGWAG',
        To: '233241234567',
        Content: 'Hello',
        CallbackUrl: 'https://shop.example/sms',
      },
    )
    expect(answer.status).toBe(200)
    await bench.passUntil('its callback is posted', () => bench.posted.length > 0, 100)
    await bench.stop()
  })

  it('are sent by another gateway, where one stopped with them', async () => {
    const { arrived, state, mail } = await startSmtp()
    const place = await aPlace('PostgreSQL')
    const one = await openOn(place, mail, { pollMs: 1_000 })
    state.doing = 'hang'
    await break_(one)
    one.pass(A_LOOK)
    await one.passUntil('a mail hangs', () => state.connections === 1, 0)
    const stopping = one.stop()
    const other = await openOn(place, mail, { pollMs: 1_000 })
    state.doing = 'take'
    await stopping
    await other.until('it came', () => arrived.length > 0, A_MINUTE)
    await other.advance(A_MINUTE)
    expect(arrived).toHaveLength(1)
    expect(await left(other)).toEqual([])
  })

  it('wait for a server that greets nobody, and no longer than a minute', async () => {
    let connections = 0
    const silent = createServer(() => connections++)
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void silent.close())
    const { mail } = await startSmtp()
    const { port } = silent.address() as { port: number }
    const bench = await openOn(':memory:', { ...mail, port })
    await break_(bench)
    bench.pass(A_LOOK)
    await bench.passUntil('it was tried', () => connections === 1, 0)
    bench.pass(A_MINUTE)
    await eventually('the attempt is over', async () => {
      const [row] = await bench.database.read(({ run }) =>
        run<{ attempts: number }>("SELECT attempts FROM outbox WHERE lane = 'mail'", []),
      )
      return row?.attempts === 1
    })
  })
})
