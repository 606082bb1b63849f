import { describe, expect, it, onTestFinished } from 'vitest'
import { wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { openDesk } from './desk.ts'

describe.each(ENGINES)('the overview, on %s', (engine) => {
  async function open() {
    const place = await makePlace(engine)
    onTestFinished(place.remove)
    const desk = await openDesk(place.url)
    const { person } = await desk.operator('ada')
    const words = async () => wordsOf(await person.visit(`${desk.deskUrl}/`))
    return { desk, person, words }
  }

  it('says that all is well, with the gateway, its carrier and what was sent', async () => {
    const { desk, words } = await open()
    await eventually('the gateway has reported', async () => / Up /.test(await words()) || undefined)
    const { demo } = desk.gateway
    if (!demo) throw new Error('expected a demo account')
    for (let n = 0; n < 3; n++) await call(desk.url, demo, { path: SINGLE, body: single() })
    const seen = await eventually('all are delivered', async () => {
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
    const seen = await eventually('it says so', async () => {
      const text = await words()
      return text.includes('1 job keeps failing') && text.includes('paused for') ? text : undefined
    })
    expect(seen).not.toContain('All is well.')
    expect(seen.indexOf('1 job keeps failing')).toBeLessThan(seen.indexOf('simulator paused for 2 h'))
    const { text } = await person.visit(`${desk.deskUrl}/`)
    expect(text).toContain('<a href="#carriers">See the carriers</a>')
    expect(text).toContain('id="carriers"')
  })

  it('is kept up to date while it is open, for whoever looks', async () => {
    const { desk, person } = await open()
    const stream = await person.send(`${desk.deskUrl}/live`)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    if (!reader) throw new Error('no stream')
    await desk.gateway.carriers.pause('simulator')
    let text = ''
    while (!text.includes('Paused since')) {
      const { value, done } = await reader.read()
      if (done) throw new Error(text)
      text += value
    }
    await reader.cancel()
    expect(text).toContain('event: part\n')
    expect(text).not.toContain('form_ticket')
  })
})
