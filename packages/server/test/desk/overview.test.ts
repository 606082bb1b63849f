import { Worker } from 'node:worker_threads'
import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { markLow } from '../../src/money/index.ts'
import { wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { type Desk, openDesk } from './desk.ts'

/** Really posts: the test only looks at it. */
const real = Worker.prototype.postMessage

function demoOf({ gateway: { demo } }: Desk) {
  if (!demo) throw new Error('expected a demo account')
  return demo
}

describe.each(ENGINES)('the overview, on %s', (engine) => {
  async function open(options: Parameters<typeof openDesk>[2] = {}) {
    const place = await makePlace(engine)
    onTestFinished(place.remove)
    const desk = await openDesk(place.url, {}, options)
    const { person } = await desk.operator('ada')
    const words = async () => wordsOf(await person.visit(`${desk.deskUrl}/`))
    return { desk, person, words }
  }

  it('says that all is well, with the gateway, its carrier and what was sent', async () => {
    const { desk, words } = await open()
    await desk.until('the gateway has reported', async () => / Up /.test(await words()) || undefined)
    for (let n = 0; n < 3; n++) await call(desk.url, demoOf(desk), { path: SINGLE, body: single() })
    const seen = await desk.until('all are delivered', async () => {
      const text = await words()
      return text.includes('Delivered 3') ? text : undefined
    })
    expect(seen).toContain('All is well.')
    expect(seen).toContain('Accepted 3')
    expect(seen).toMatch(/simulator Up/)
    expect(seen).toMatch(/Gateway Version Runs for \S+ 0\.1\.0/)
  })

  it('says the worst first, as a sentence with a link, and the rest below', async () => {
    const { desk, words, person } = await open()
    await desk.gateway.carriers.pause('simulator')
    await desk.gateway.database.write(async ({ run }) => {
      await run('UPDATE carrier_pauses SET at = at - 7200000', [])
      await run(
        `INSERT INTO outbox (id, kind, run_at, lease_until, lapsed, epoch, attempts, submitted_at, expires_at, faults, lane, handed_at, owner)
         VALUES ('j', 'callback', 9999999999999, 0, 0, 0, 0, 0, 0, 30, '', 0, 'o')`,
        [],
      )
    })
    const seen = await desk.until('it says so', async () => {
      const text = await words()
      return text.includes('1 job keeps failing') && text.includes('paused for') ? text : undefined
    })
    expect(seen).not.toContain('All is well.')
    expect(seen.indexOf('1 job keeps failing')).toBeLessThan(seen.indexOf('simulator paused for 2 h'))
    const { text } = await person.visit(`${desk.deskUrl}/`)
    expect(text).toContain('<a href="/carriers/simulator">See simulator and its routes</a>')
  })

  it('names the wallets with the least left, and leads to all that run low', async () => {
    const { desk, person, words } = await open()
    for (const [name, balance] of [
      ['one', 4],
      ['two', 1],
      ['three', 3],
      ['four', 2],
      ['five', 9],
    ] as const) {
      const { accountId } = await desk.account(name, balance * 1_000_000)
      await desk.gateway.operator.warn(accountId, micros(5_000_000))
    }
    await desk.gateway.database.write((tx) => markLow(tx, desk.gateway.clock.now()))
    const seen = await desk.until('it says so', async () => {
      const text = await words()
      return text.includes('The wallet of') ? text : undefined
    })
    expect(seen.match(/wallet of \w+ +has GHS \d\.\d\d, less than GHS 5\.00/g)).toEqual([
      'wallet of two has GHS 1.00, less than GHS 5.00',
      'wallet of four has GHS 2.00, less than GHS 5.00',
      'wallet of three has GHS 3.00, less than GHS 5.00',
    ])
    expect(seen).toContain('1 more wallet has less than the warning says. See all that run low')
    const low = wordsOf(await person.visit(`${desk.deskUrl}/customers?low=yes`))
    expect(['one', 'two', 'three', 'four', 'five'].filter((name) => low.includes(`${name}@`))).toEqual([
      'one',
      'two',
      'three',
      'four',
    ])
    const found = wordsOf(await person.visit(`${desk.deskUrl}/customers?low=yes&q=five`))
    expect(found).toContain('Nothing fits “ five ”.')
  })

  it('says what waits for a decision, which receivers fail, and since when the gateways see it', async () => {
    const { desk, words, person } = await open()
    const { accountId } = await desk.account('\u202eama\u05d0', 5_000_000)
    await desk.gateway.database.write(async ({ run }) => {
      await run(
        "INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, 'ASKED', 'pending', $2)",
        [accountId, desk.gateway.clock.now() - 7_200_000],
      )
    })
    await desk.pass(40_000)
    const seen = await desk.until('it says so', async () => {
      const text = await words()
      return text.includes('Since ') && text.includes('Sender IDs:') ? text : undefined
    })
    expect(seen).toMatch(
      /Sender IDs: 1 sender ID waits for a decision, the first for 2 h\. +See them and decide +Since \d\d:\d\d:\d\d/,
    )
    const { text } = await person.visit(`${desk.deskUrl}/`)
    expect(text).toContain('<a href="/senders">See them and decide</a>')
  })

  it('says that the thread of the sockets to receivers ended by itself, for an hour', async () => {
    const started: Worker[] = []
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (
      this: Worker,
      ...given
    ) {
      if (!started.includes(this)) started.push(this)
      return real.apply(this, given)
    })
    onTestFinished(() => post.mockRestore())
    const { desk, words } = await open({ threads: true })
    await call(desk.url, demoOf(desk), {
      path: SINGLE,
      body: { ...single(), CallbackUrl: 'http://127.0.0.1:9/' },
    })
    const [network] = await desk.until('the thread has been asked', async () =>
      started[0] ? started : undefined,
    )
    expect(await words()).not.toContain('the thread with')
    await network?.terminate()
    const said = 'the thread with the sockets to receivers ended within the last hour and was started again'
    await desk.until('it says so', async () => (await words()).includes(said) || undefined)
    await desk.pass(3_500_000)
    const { person: soon } = await desk.operator('grace')
    expect(wordsOf(await soon.visit(`${desk.deskUrl}/`))).toContain(said)
    await desk.pass(100_000)
    const after = wordsOf(await soon.visit(`${desk.deskUrl}/`))
    expect(after).not.toContain('the thread with')
  })

  it('is kept up to date while it is open, for whoever looks', async () => {
    const { desk, person } = await open()
    const stream = await person.send(`${desk.deskUrl}/live`)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    if (!reader) throw new Error('no stream')
    await desk.gateway.carriers.pause('simulator')
    let text = ''
    while (!text.includes('Paused since')) {
      const { value, done } = await desk.during(reader.read())
      if (done) throw new Error(text)
      text += value
    }
    await reader.cancel()
    expect(text).toContain('event: part\n')
    expect(text).not.toContain('form_ticket')
  })
})
