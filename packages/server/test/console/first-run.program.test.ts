import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { micros } from '@wigwag/contract'
import { createClient } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import { cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { createPerson } from '../assistants/oauth/person.ts'
import { openWorld, type World } from '../assistants/oauth/world.ts'

/** The demo account's person, signed in. */
async function demoOf({ gateway, url }: World) {
  const { demo } = gateway
  if (!demo) throw new Error('a sandbox has a demo account')
  const person = createPerson()
  const form = await person.visit(`${url}/sign-in`)
  await person.submit(form, { email: 'demo@wigwag.dev', password: demo.password ?? '' })
  return { person, demo }
}

/** The text of a box of code. */
function boxOf(html: string, id: string): string {
  const [, box = ''] = new RegExp(`<pre tabindex="0" id="${id}">([^]*?)</pre>`).exec(html) ?? []
  return box
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** The request that curl would send, as a shell reads the command. */
async function runAsCurl(command: string): Promise<Response> {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: {} })
  const words = stdout.split('\0').slice(0, -1)
  const headers = new Headers()
  let body = ''
  for (let at = 1; at < words.length; at += 2) {
    const [flag, value = ''] = words.slice(at)
    const [name = '', rest = ''] = value.split(/: (.*)/s)
    if (flag === '-u') headers.set('authorization', `Basic ${Buffer.from(value).toString('base64')}`)
    else if (flag === '-d') body = value
    else headers.set(name, rest)
  }
  return fetch(words[0] ?? '', { method: 'POST', headers, body })
}

/** Runs a sample of TypeScript with the client that it imports. */
async function runSample(sample: string): Promise<void> {
  const [first = '', ...rest] = sample.split('\n').filter((line) => !line.startsWith('//'))
  expect(first).toBe("import { createClient } from '@wigwag/sdk'")
  const AsyncFunction = (async () => {}).constructor
  const run: unknown = Reflect.construct(AsyncFunction, ['createClient', 'console', rest.join('\n')])
  if (typeof run !== 'function') throw new Error('a function was expected')
  await Reflect.apply(run, undefined, [createClient, { log: () => undefined }])
}

describe('the inbox of an account without messages', () => {
  it('has a complete curl and a complete program, which send the first two messages', async () => {
    const world = await openWorld()
    const { person, demo } = await demoOf(world)
    const { text } = await person.visit(`${world.url}/messages`)
    expect(text).toContain('<h1>Send your first message</h1>')
    expect(text).toContain('id="waits" data-live="/messages/live" data-last=""')
    expect(text).toContain('It is complete')
    const answer = await runAsCurl(boxOf(text, 'sample-curl'))
    expect(await answer.json()).toMatchObject({ Status: 'pending' })
    await runSample(boxOf(text, 'sample-typescript'))
    expect(boxOf(text, 'sample-command')).toContain(`export WIGWAG_CLIENT_SECRET=${demo.clientSecret}`)

    const after = await person.visit(`${world.url}/messages`)
    expect(after.text).toContain('<h1>Inbox</h1>')
    expect(after.text.match(/Hello from Wigwag/g)).toHaveLength(2)
  })

  it('shows no secret of any account but the demo’s, in a sandbox', async () => {
    const world = await openWorld()
    const ama = await world.resident('ama')
    const { text } = await ama.person.visit(`${world.url}/messages`)
    expect(text).toContain('<h1>Send your first message</h1>')
    expect(text).toContain('$WIGWAG_CLIENT_ID:$WIGWAG_CLIENT_SECRET')
    const { demo } = world.gateway
    for (const { clientId, clientSecret, walletToken, callbackSecret } of [ama, demo].filter(
      (one) => !!one,
    )) {
      for (const secret of [clientId, clientSecret, walletToken, callbackSecret])
        expect(text).not.toContain(secret)
    }
  })

  it('leads an account without a sender ID to asking for one', async () => {
    const world = await openWorld()
    const password = 'a long enough password'
    await world.gateway.operator.createAccount({
      name: 'Esi',
      email: 'esi@example.com',
      currency: 'GHS',
      balance: micros(0),
      senders: [],
      passwordHash: cheapHash(password),
    })
    const person = createPerson()
    const landed = await person.submit(await person.visit(`${world.url}/sign-in`), {
      email: 'esi@example.com',
      password,
    })
    const { text } = await person.visit(`${world.url}/messages`)
    expect(landed.status).toBeLessThan(500)
    expect(text).toContain('This account has no approved sender ID yet. <a href="/sender-ids">')
  })

  it('is not shown under a filter', async () => {
    const world = await openWorld()
    const ama = await world.resident('ama')
    const { text } = await ama.person.visit(`${world.url}/messages?q=status:failed`)
    expect(text).toContain('<h1>Inbox</h1>')
    expect(text).toContain('No message matches. None without')
  })
})
