import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { remoteLink, remoteSnippet } from '@wigwag/mcp'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { banner } from '../../src/cli/serve/greeting.ts'
import { loadConfig } from '../../src/config/config.ts'
import { TEST_NUMBERS } from '../../src/kernel/phone/test-numbers.ts'
import { DEMO_EMAIL } from '../../src/sandbox/demo.ts'
import { createPerson, type Person } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { call, type Front, openFront } from '../support/front.ts'

const root = join(import.meta.dirname, '../../../..')
const run = promisify(execFile)
/** `npx wigwag …`, as in the clone, without npm. */
const WIGWAG = `'${process.execPath}' '${root}/packages/server/dist/main.js' "$@"`
const NPX = `npx() { shift; ${WIGWAG}; }`
/** The same in the place of the shell, so that ending the child ends it. */
const EXEC_NPX = `npx() { shift; exec ${WIGWAG}; }`

let front: Front
let person: Person
let page: string
beforeAll(async () => {
  front = await openFront(':memory:')
  person = createPerson()
  const { demo } = front.gateway
  const form = await person.visit(`${front.url}/sign-in`)
  await person.submit(form, { email: DEMO_EMAIL, password: demo?.password ?? '' })
  page = (await person.visit(`${front.url}/developers`)).text
})
afterAll(() => front.close())

/** The text of a box, as the button copies it. */
function boxOf(text: string, id: string): string {
  const inside = new RegExp(`<pre tabindex="0" id="${id}">([^<]*)</pre>`).exec(text)?.[1]
  if (inside === undefined) throw new Error(`there is no box ${id}`)
  return inside
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
const box = (id: string) => boxOf(page, id)

/** Runs commands as they are pasted: nothing of this machine's settings is there. */
const shell = (script: string) =>
  run('bash', ['-ec', script], { env: { PATH: process.env.PATH ?? '' }, cwd: root })
/** Runs a program as it is pasted into a file of a project that has the SDK. */
const script = (text: string, env: Record<string, string> = {}) =>
  run(process.execPath, ['--input-type=module-typescript', '-e', text], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...env },
  })

async function accepted(): Promise<number> {
  const { demo } = front.gateway
  if (!demo) throw new Error('expected a demo account')
  const { text } = await call(front.url, demo, { path: '/v1/messages?Limit=200' })
  const { Items }: { Items: unknown[] } = JSON.parse(text)
  return Items.length
}

describe('what a developer copies', () => {
  it('is the settings that the gateway prints when it starts', () => {
    const said = banner({
      url: front.url,
      metricsUrl: undefined,
      signInUrl: front.url,
      simulated: undefined,
      config: loadConfig({ database: ':memory:' }, {}, import.meta.dirname),
      demo: front.gateway.demo,
    })
    expect(box('shell-keys').split('\n')).toEqual(said.match(/^export .*$/gm))
  })

  it('sets the settings of the shell, which the commands then work with', async () => {
    const { stdout } = await shell(`${NPX}\n${box('shell-keys')}\nnpx wigwag balance --json`)
    expect(JSON.parse(stdout)).toMatchObject({ currency: 'GHS' })
    const { stdout: secret } = await shell(`${box('shell-keys')}\nprintf %s "$WIGWAG_CALLBACK_SECRET"`)
    expect(secret).toBe(front.gateway.demo?.callbackSecret)
  })

  it.each(['send-curl', 'send-command', 'send-typescript'])('sends a message: %s', async (id) => {
    const before = await accepted()
    await (id === 'send-typescript' ? script(box(id)) : shell(`${NPX}\n${box(id)}`))
    expect(await accepted()).toBe(before + 1)
  })

  it('receives a callback, and believes only one that is signed', async () => {
    const port = await freePort()
    const { demo } = front.gateway
    const child = spawn(
      process.execPath,
      ['--input-type=module-typescript', '-e', box('receiver').replace('3000', String(port))],
      { cwd: root, env: { WIGWAG_CALLBACK_SECRET: demo?.callbackSecret ?? '' } },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    const CallbackUrl = `http://127.0.0.1:${port}/hooks/sms`
    await eventually('the receiver answers', () =>
      fetch(CallbackUrl).then(
        () => true,
        () => false,
      ),
    )
    expect((await fetch(CallbackUrl, { method: 'POST', body: '{}' })).status).toBe(401)
    const body = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl }
    const sent = await call(front.url, demo ?? noDemo(), { path: '/v1/messages/sms', body })
    const { Ticket }: { Ticket: string } = JSON.parse(sent.text)
    await eventually('the callback arrives', async () => said.includes(`${Ticket} success`))
  })

  it('listens on this machine, and passes callbacks on', async () => {
    const taken: string[] = []
    const app = createServer((request, response) => {
      taken.push(request.url ?? '')
      request.resume()
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void app.close())
    const address = app.address()
    const appPort = typeof address === 'object' && address ? address.port : 0
    const port = await freePort()
    const listen = `${box('listen').replace('3000', String(appPort))} --port ${port}`
    const env = { PATH: process.env.PATH ?? '' }
    const child = spawn('bash', ['-c', `${EXEC_NPX}\n${box('shell-keys')}\n${listen}`], { cwd: root, env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const heard = `http://127.0.0.1:${port}/`
    await eventually('it listens', () =>
      fetch(heard).then(
        () => true,
        () => false,
      ),
    )
    const send = box('send-to-listener').replace('8090', String(port))
    await shell(`${NPX}\n${box('shell-keys')}\n${send}`)
    await eventually('the callback is passed on', async () => taken.includes('/hooks/sms'))
  })

  it('connects an assistant with what the connector itself prints', () => {
    const clients = ['claude-code', 'claude-desktop', 'cursor', 'vscode']
    const boxes = clients.map((_, index) => box(`assistant-${index + 1}`))
    expect(boxes).toEqual(clients.map((client) => remoteSnippet(client, `${front.url}/mcp`)))
    const [, , cursor = '', vscode = ''] = boxes
    expect(JSON.parse(cursor)).toEqual({ mcpServers: { wigwag: { url: `${front.url}/mcp` } } })
    expect(JSON.parse(vscode)).toEqual({ servers: { wigwag: { type: 'http', url: `${front.url}/mcp` } } })
    for (const client of ['cursor', 'vscode']) {
      const href = remoteLink(client, `${front.url}/mcp`).replaceAll('&', '&amp;')
      expect(page).toContain(`<a class="button second" href="${href}">Add to `)
    }
  })

  it('is a Postman collection with this account’s values in its variables', async () => {
    const { text, headers } = await person.visit(`${front.url}/developers/wigwag.postman_collection.json`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="wigwag.postman_collection.json"')
    expect(headers.get('cache-control')).toBe('no-store')
    const generated = JSON.parse(
      readFileSync(join(root, 'examples/postman/wigwag.postman_collection.json'), 'utf8'),
    )
    const { variable, ...collection } = JSON.parse(text)
    expect({ ...collection, variable: generated.variable }).toEqual(generated)
    const { clientId, clientSecret, walletToken } = front.gateway.demo ?? noDemo()
    const values = Object.fromEntries(variable.map(({ key, value }: Record<string, string>) => [key, value]))
    expect(values).toEqual({
      baseUrl: front.url,
      clientid: clientId,
      clientsecret: clientSecret,
      token: walletToken,
      from: 'WIGWAG',
      to: '233241234567',
    })
  })

  it('is true again after a key was replaced, here or by the operator', async () => {
    const own = await openFront(':memory:')
    onTestFinished(() => own.close())
    const visitor = createPerson()
    const demo = own.gateway.demo ?? noDemo()
    await visitor.submit(await visitor.visit(`${own.url}/sign-in`), {
      email: DEMO_EMAIL,
      password: demo.password ?? '',
    })
    const { clientSecret } = await own.gateway.operator.rotateSecret(demo.accountId)
    const { text } = await visitor.visit(`${own.url}/developers`)
    expect(boxOf(text, 'shell-keys')).toContain(`export WIGWAG_CLIENT_SECRET=${clientSecret}`)
    await shell(boxOf(text, 'send-curl').replace('curl ', 'curl --fail '))
  })
})

describe('the numbers that fail', () => {
  it('are those of the page about the sandbox', () => {
    const sandbox = readFileSync(join(root, 'docs/sandbox.md'), 'utf8')
    const rows = [...sandbox.matchAll(/^\| `(0000\d)` \| `(\w+)`/gm)].map(([, ending, status]) => [
      ending,
      status,
    ])
    expect(rows).toEqual(TEST_NUMBERS.map(({ ending, status }) => [ending, status]))
    for (const { ending } of TEST_NUMBERS) expect(page).toContain(`href="/send?to=2332412${ending}"`)
  })

  it('end as the page says', async () => {
    const demo = front.gateway.demo ?? noDemo()
    const statusOf = async (ending: string) => {
      const body = { From: 'WIGWAG', To: `2332412${ending}`, Content: 'Hello' }
      const { text } = await call(front.url, demo, { path: '/v1/messages/sms', body })
      const { Ticket }: { Ticket: string } = JSON.parse(text)
      return async () => {
        const found = await call(front.url, demo, { path: `/v1/transactions/${Ticket}/status` })
        const { Status }: { Status: string } = JSON.parse(found.text)
        return Status
      }
    }
    const sent = []
    for (const { ending, status } of TEST_NUMBERS) sent.push({ ending, status, now: await statusOf(ending) })
    // The one that stays pending would have ended with the others.
    sent.sort((a, b) => Number(a.status === 'pending') - Number(b.status === 'pending'))
    for (const { ending, status, now } of sent)
      await eventually(`${ending} is ${status}`, async () => (await now()) === status)
  })
})

describe('an account whose secrets may not be shown', () => {
  it('has its client ID, names to replace, and no secret', async () => {
    const { url, resident } = await openWorld()
    const ama = await resident('ama')
    const { text } = await ama.person.visit(`${url}/developers`)
    expect(boxOf(text, 'shell-keys').split('\n').slice(1)).toEqual([
      `export WIGWAG_CLIENT_ID=${ama.clientId}`,
      'export WIGWAG_CLIENT_SECRET=YOUR_CLIENT_SECRET',
      'export WIGWAG_WALLET_TOKEN=YOUR_WALLET_TOKEN',
      'export WIGWAG_FROM=WIGWAG',
      'export WIGWAG_CALLBACK_SECRET=YOUR_CALLBACK_SECRET',
    ])
    const own = boxOf(text, 'shell-keys')
      .replace('YOUR_CLIENT_SECRET', ama.clientSecret)
      .replace('YOUR_WALLET_TOKEN', ama.walletToken)
    const { stdout } = await shell(`${own}\n${boxOf(text, 'send-curl')}`)
    expect(JSON.parse(stdout)).toMatchObject({ Status: 'pending' })
    const { text: file } = await ama.person.visit(`${url}/developers/wigwag.postman_collection.json`)
    for (const shown of [text, file]) expect(shown).not.toMatch(/\b(?:ws|wt)_[\w-]{20}|whsec_/)
    expect(file).toContain(`"value": "${ama.clientId}"`)
  })
})

function noDemo(): never {
  throw new Error('expected a demo account')
}
