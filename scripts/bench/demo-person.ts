import type { Server } from './processes.ts'

export const DEMO_EMAIL = 'demo@wigwag.dev'

/** Signs in to the demo account. Gives the cookies. */
export async function signIn({ port, said }: Server): Promise<string> {
  const page = `http://127.0.0.1:${port}/sign-in`
  const password = /the password (\S+)/.exec(said)?.[1] ?? ''
  const form = await fetch(page)
  const hidden = [...(await form.text()).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value])
  const ticket = cookiesOf(form)
  const done = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: ticket, origin: new URL(page).origin },
    body: new URLSearchParams([...fields, ['email', DEMO_EMAIL], ['password', password]]),
  })
  if (done.status !== 303) throw new Error(`expected to be signed in, got ${done.status}`)
  return `${ticket}; ${cookiesOf(done)}`
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
