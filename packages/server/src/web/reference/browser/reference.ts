import { curlOf, SETTING_VARIABLES, withoutControls } from '../../../kernel/text/shell.ts'
import { byId, showCopyButtons, startCopying } from '../../browser/page.ts'
import { KEY_FIELDS } from '../key-fields.ts'

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The request that a form would send. */
interface Trial {
  method: string
  path: string
  query: string
  headers: Record<string, string>
  /** Whether the wallet's token goes along. */
  takesWallet: boolean
  body: string | undefined
}

function trialOf(form: HTMLFormElement): Trial {
  const { method = 'GET', path = '', wallet } = form.dataset
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let filled = path
  for (const field of form.querySelectorAll<Field>('[data-in]')) {
    const { name, value } = field
    if (value === '') continue
    if (field.dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (field.dataset.in === 'query') query.set(name, value)
    else headers[name] = value
  }
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const asked = query.size > 0 ? `?${query}` : ''
  return { method, path: filled, query: asked, headers, takesWallet: wallet !== undefined, body }
}

/** The credentials in the page's fields. */
function keys(): Record<keyof typeof KEY_FIELDS, string> {
  const value = (id: string) => (byId(id) as HTMLInputElement | undefined)?.value.trim() ?? ''
  return {
    clientId: value(KEY_FIELDS.clientId),
    clientSecret: value(KEY_FIELDS.clientSecret),
    walletToken: value(KEY_FIELDS.walletToken),
  }
}

/** Shows the request as a command. An empty field is a variable of the shell. */
function showCurl(form: HTMLFormElement): void {
  const box = byId(`${form.dataset.operation}-curl`)
  if (!box) return
  const { method, path, query, headers, takesWallet, body } = trialOf(form)
  const { clientId, clientSecret, walletToken } = keys()
  const client = clientId && clientSecret ? { clientId, clientSecret } : SETTING_VARIABLES
  box.textContent = curlOf({
    method,
    url: `${location.origin}${path}${query}`,
    credentials: {
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      walletToken: takesWallet ? walletToken || SETTING_VARIABLES.walletToken : undefined,
    },
    headers,
    body: body === undefined ? undefined : withoutControls(indented(body, 0)),
  })
}

/** JSON with another indent; a text that is none as it is. */
function indented(text: string, indent: number): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, indent)
}

/** The value of a text of JSON; undefined for other texts. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Sends the request to this gateway, without cookies, and shows the answer. */
async function send(form: HTMLFormElement): Promise<void> {
  const answer = form.querySelector('.answer')
  const button = form.querySelector('button')
  if (!answer || !button) return
  const { method, path, query, headers, takesWallet, body } = trialOf(form)
  const { clientId, clientSecret, walletToken } = keys()
  button.disabled = true
  const begun = performance.now()
  try {
    const response = await fetch(`${path}${query}`, {
      method,
      headers: {
        ...headers,
        authorization: `Basic ${base64(`${clientId}:${clientSecret}`)}`,
        ...(takesWallet && walletToken !== '' && { 'x-wallet': `Token ${walletToken}` }),
      },
      credentials: 'omit',
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    answer.replaceChildren(...shown(form, response, { text, ms: performance.now() - begun }))
    showCopyButtons(answer)
    if (response.ok) passOn(text)
  } catch (error) {
    const status = line('status bad', `No answer: ${error instanceof Error ? error.message : error}`)
    answer.replaceChildren(status, line('soft', 'It is not known whether the gateway took the request.'))
  } finally {
    button.disabled = false
  }
}

function shown(
  form: HTMLFormElement,
  response: Response,
  { text, ms }: { text: string; ms: number },
): Node[] {
  const { status, statusText, ok, headers } = response
  const id = `${form.dataset.operation}-got`
  return [
    line(`status ${ok ? 'good' : 'bad'}`, `${status} ${statusText} · ${Math.round(ms)} ms`),
    box(`${id}-headers`, [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')),
    box(id, indented(text, 2)),
  ]
}

function line(look: string, text: string): HTMLElement {
  const paragraph = document.createElement('p')
  paragraph.className = look
  paragraph.textContent = text
  return paragraph
}

/** A box with text to copy, like the page's own. */
function box(id: string, text: string): HTMLElement {
  const around = document.createElement('div')
  around.className = 'code wrap'
  const pre = document.createElement('pre')
  pre.id = id
  pre.tabIndex = 0
  pre.textContent = text
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.className = 'second tiny'
  copy.dataset.copy = id
  copy.hidden = true
  copy.textContent = 'Copy'
  around.append(pre, copy)
  return around
}

/** Puts the ticket of a message that was sent into the forms that ask for one. */
function passOn(text: string): void {
  const sent = parsed(text)
  const ticket: unknown = Object(Array.isArray(sent) ? sent[0] : sent).Ticket
  if (typeof ticket !== 'string') return
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-takes="ticket"]'))
    field.value = ticket
  forms.forEach(showCurl)
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** The demo account's credentials, which a sandbox gives to browsers on its own machine. */
async function fillIn(path: string): Promise<void> {
  const response = await fetch(path, { cache: 'no-store' })
  if (response.status !== 200) return
  const demo: Record<string, string> = await response.json()
  for (const [name, id] of Object.entries(KEY_FIELDS)) {
    const field = byId(id) as HTMLInputElement | undefined
    if (field?.value === '') field.value = demo[name] ?? ''
  }
  const filled = byId('keys-filled')
  if (filled) filled.hidden = false
  forms.forEach(showCurl)
}

/** Times in examples are past: a message is scheduled for tomorrow. */
function inTheFuture(json: string): string {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  return json.replace(/("SendAt": ")[^"]*/, `$1${tomorrow}`)
}

const forms = [...document.querySelectorAll<HTMLFormElement>('form.try')]
for (const form of forms) {
  form.hidden = false
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')
  if (body) body.value = inTheFuture(body.value)
  form.querySelector<HTMLSelectElement>('[data-examples]')?.addEventListener('change', ({ target }) => {
    if (body && target instanceof HTMLSelectElement)
      body.value = inTheFuture(byId(target.value)?.textContent ?? '')
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  form.addEventListener('input', () => showCurl(form))
  form.addEventListener('change', () => showCurl(form))
}
// In a small window the contents cover the page.
byId('places')?.addEventListener('click', ({ target, currentTarget }) => {
  if (target instanceof HTMLAnchorElement && currentTarget instanceof HTMLElement) currentTarget.hidePopover()
})
const sheet = byId('keys')
if (sheet) {
  sheet.hidden = false
  sheet.addEventListener('input', () => forms.forEach(showCurl))
  if (sheet.dataset.demo !== undefined) void fillIn(sheet.dataset.demo)
}
forms.forEach(showCurl)
startCopying()
