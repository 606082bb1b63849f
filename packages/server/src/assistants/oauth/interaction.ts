import type { Hono } from 'hono'
import type Provider from 'oidc-provider'
import { mayDo } from '../../people/index.ts'
import { errorPage } from '../../platform/pages/error.ts'
import { type FormTickets, postedForm } from '../../platform/pages/forms.ts'
import { carryOn, goTo, type PageContext, pageReply } from '../../platform/pages/reply.ts'
import { noSessionCookie, type Person, type Portal, sessionTokenOf } from '../../portal/index.ts'
import type { Connections } from '../connections.ts'
import { leavingPage, redirectPlace } from '../consent/leaving.ts'
import { limitValues, readLimits } from '../consent/limits.ts'
import { type ConsentView, consentPage } from '../consent/page.ts'
import { type AuthorizationRequest, readAuthorizationRequest, saveGrant } from './authorization-request.ts'
import { answering, nodePairOf } from './hand-over.ts'
import { type OauthRecords, recordKey } from './records.ts'

export interface InteractionOptions {
  provider(): Promise<Provider>
  portal: Pick<Portal, 'who' | 'accounts' | 'signOut'>
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  connections: Pick<Connections, 'create' | 'refuse' | 'shared'>
  records: Pick<OauthRecords, 'consume'>
  tickets: FormTickets
}

const PATH = '/oauth/interaction/:uid'
const LOST_RIGHT = 'the role of the person does not allow it any more'
/** The form's initial limits: enough for a day of trying out, and a small loss at worst. */
const AT_FIRST: ConsentView['values'] = {
  sending: false,
  dailySpend: '5.00',
  dailyMessages: '50',
  recipients: '',
  unasked: 'refuse',
}

/** The pages on which a person allows or denies what an assistant asks for. */
export function mountInteractions(app: Hono, options: InteractionOptions): void {
  const { provider, publicUrl, addressOf, portal, connections, records, tickets } = options

  app.get(PATH, (c: PageContext) =>
    withPerson(c, (request, person) => showConsent(c, request, person, AT_FIRST, {})),
  )

  app.post(PATH, async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) {
      return failure(403, 'This form can’t be used', 'Go back to the assistant and connect again.')
    }
    const decision = form.get('decision')
    if (decision === 'switch') return switchPerson(c)
    return withPerson(c, (request, person) => {
      // If another person has signed in since, in another tab, the answer was not about their wallet: ask again.
      if (c.req.query('wallet') !== person.wallet.id) return showConsent(c, request, person, AT_FIRST, {})
      return decision === 'allow' ? allow(c, request, person, form) : deny(c, request, person)
    })
  })

  async function withPerson(
    c: PageContext,
    go: (request: AuthorizationRequest, person: Person) => Promise<Response> | Response,
  ): Promise<Response> {
    const request = await answering(addressOf(c), async () =>
      readAuthorizationRequest(await provider(), nodePairOf(c)),
    )
    if (!request) {
      const again =
        'It has expired, or was begun in another browser. Go back to the assistant and connect again.'
      return failure(400, 'There is nothing to allow', again)
    }
    const person = await portal.who(sessionTokenOf(c.req.header('cookie'), publicUrl()))
    if (!person) return toSignIn(c)
    if (!mayDo(person.role, 'assistants')) return mayNot(person)
    const mayLetSend = mayDo(person.role, 'assistants that send')
    return go({ ...request, asksSending: request.asksSending && mayLetSend }, person)
  }

  function toSignIn(c: PageContext, setCookie?: string): Response {
    return goTo(`/sign-in?next=${encodeURIComponent(c.req.path)}`, setCookie)
  }

  async function switchPerson(c: PageContext): Promise<Response> {
    const token = sessionTokenOf(c.req.header('cookie'), publicUrl())
    if (token !== undefined) await portal.signOut(token)
    return toSignIn(c, noSessionCookie(publicUrl()))
  }

  async function showConsent(
    c: PageContext,
    request: AuthorizationRequest,
    person: Person,
    values: ConsentView['values'],
    errors: ConsentView['errors'],
  ): Promise<Response> {
    const several = (await portal.accounts(person.personId)).length > 1
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const { redirectUri, clientId, clientName, clientUri, documentHost, asksSending } = request
    const page = consentPage({
      action: `${c.req.path}?wallet=${person.wallet.id}`,
      form,
      client: {
        id: clientId,
        name: clientName,
        ...(clientUri === undefined ? {} : { uri: clientUri }),
        ...(documentHost === undefined ? {} : { documentHost }),
        ...redirectPlace(redirectUri),
      },
      person,
      wallet: person.wallet,
      otherAccount: several ? `/accounts?next=${encodeURIComponent(c.req.path)}` : undefined,
      asksSending,
      shared: await connections.shared(person),
      values,
      errors,
    })
    return pageReply(page, { status: Object.keys(errors).length > 0 ? 422 : 200, setCookie })
  }

  async function allow(
    c: PageContext,
    request: AuthorizationRequest,
    person: Person,
    form: URLSearchParams,
  ): Promise<Response> {
    const canSend = request.asksSending && form.get('access') === 'send'
    const read = canSend ? readLimits(form) : { limits: undefined }
    const values = { sending: canSend, ...limitValues(form) }
    if ('errors' in read) return showConsent(c, request, person, values, read.errors)
    // A browser may have been left open, and sending costs money.
    if (canSend && !person.justProven) return carryOn(`/prove?next=${encodeURIComponent(hereOf(c))}`)
    if (!(await isFirstAnswer(request))) return goOn(request, undefined)
    const { accountId, personId, wallet } = person
    const { clientId, clientName, resource, requested } = request
    const library = await provider()
    const grantId = await saveGrant(library, { accountId, clientId, resource, requested, canSend })
    const { redirectHost } = redirectPlace(request.redirectUri)
    const { limits } = read
    const made = await connections.create({
      accountId,
      personId,
      walletId: wallet.id,
      grantId,
      clientId,
      clientName,
      redirectHost,
      limits,
    })
    if (made === undefined)
      return leave(c, request, { error: 'access_denied', error_description: LOST_RIGHT })
    return leave(c, request, { login: { accountId, remember: false }, consent: { grantId } })
  }

  async function deny(c: PageContext, request: AuthorizationRequest, person: Person): Promise<Response> {
    if (!(await isFirstAnswer(request))) return goOn(request, undefined)
    await connections.refuse(person, { id: request.clientId, name: request.clientName })
    return leave(c, request, { error: 'access_denied', error_description: 'the person did not allow it' })
  }

  /** Only the first answer to an authorization counts, for example when a button is clicked twice. */
  function isFirstAnswer({ uid }: AuthorizationRequest): Promise<boolean> {
    return records.consume('Interaction', recordKey('Interaction', uid))
  }

  async function leave(
    c: PageContext,
    request: AuthorizationRequest,
    result: Parameters<Provider['interactionResult']>[2],
  ): Promise<Response> {
    const { incoming, outgoing } = nodePairOf(c)
    await (await provider()).interactionResult(incoming, outgoing, result)
    return goOn(request, !('error' in result))
  }

  function mayNot({ name, role }: Person): Response {
    const text = `In the account of ${name} your role is ${role}, which lets in no assistants. Ask an owner of the account.`
    return failure(403, 'You can’t connect an assistant', text)
  }

  function failure(status: number, title: string, text: string): Response {
    return pageReply(errorPage({ title, text }), { status })
  }
}

/** The path and query of a request. */
function hereOf(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}

/** Redirects the browser through a page: after a form, the form-action policy would block a direct redirect. */
function goOn(
  { clientName, redirectUri, goesOnAt }: AuthorizationRequest,
  allowed: boolean | undefined,
): Response {
  const { redirectHost } = redirectPlace(redirectUri)
  return pageReply(leavingPage({ to: goesOnAt, client: clientName, redirectHost, allowed }))
}
