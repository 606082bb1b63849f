import type { Hono } from 'hono'
import { goTo, PAGE_HEADERS } from '../../../net/pages/reply.ts'
import type { ConsoleParts } from '../parts.ts'
import { linkSecretOf, mountJoin } from './join.tsx'
import { Reception } from './reception.ts'
import { mountSecond } from './second.tsx'
import { mountSignIn } from './sign-in.tsx'

/** Where people come in: sign-in, the second factor, the links of invitations, and the choice of an account. */
export function mountReception(
  app: Hono,
  parts: ConsoleParts,
  own: ConstructorParameters<typeof Reception>[2],
): void {
  const reception = new Reception(app, parts, own)
  mountSignIn(app, reception)
  mountSecond(app, reception)
  mountJoin(app, reception)
  mountPasskeyOptions(reception)
}

/** Answers for the script, which asks the browser for a passkey with them. */
function mountPasskeyOptions(reception: Reception): void {
  const { proofs, factors, joining, portal, publicUrl, site } = reception.parts

  reception.post('/passkey/sign-in', async () => json(await proofs.request(undefined, site())))
  reception.post('/passkey/second', async (c) => {
    const half = await proofs.half(reception.tokenOf(c))
    return half ? json(await proofs.request(half.personId, site())) : goTo('/sign-in')
  })
  reception.post('/passkey/prove', async (c) => {
    const person = await portal.who(reception.tokenOf(c))
    return person ? json(await proofs.request(person.personId, site())) : goTo('/sign-in')
  })
  reception.post('/passkey/add', async (c) => {
    const person = (await portal.who(reception.tokenOf(c))) ?? (await proofs.half(reception.tokenOf(c)))
    // Who has to show one may not add another.
    if (!person || ('state' in person && person.state === 'show')) return goTo('/sign-in')
    return json(await factors.creation(person, site()))
  })
  reception.post('/passkey/join', async (c) => {
    const options = await joining.creation(linkSecretOf(c, publicUrl()), site())
    return options ? json(options) : goTo('/join')
  })
}

function json(options: object): Response {
  return Response.json(options, { headers: PAGE_HEADERS })
}
