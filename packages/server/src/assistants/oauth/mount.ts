import { Hono } from 'hono'
import type Provider from 'oidc-provider'
import { mayDo } from '../../accounts/people/index.ts'
import type { OperatorContact } from '../../kernel/operator-contact.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { errorPage, type Failures, failurePages } from '../../net/pages/error.tsx'
import { type FormTickets, postedForm } from '../../net/pages/forms.tsx'
import { carryOn, goTo, type PageContext, pageReply } from '../../net/pages/reply.ts'
import { noSessionCookie, type Person, type Portal, sessionTokenOf } from '../../sign-in/portal/index.ts'
import type { Connections } from '../connections.ts'
import { leavingPage, redirectPlace } from '../consent/leaving.tsx'
import { limitValues, readLimits } from '../consent/limits.tsx'
import { type ConsentView, consentPage } from '../consent/page.tsx'
import { AddressLimit, HOURLY_LIMITS, HourlyLimit, type HourlyLimits, type TooMany } from './hourly-limits.ts'
import {
  type AuthorizationRequest,
  answerByLibrary,
  answering,
  nodePairOf,
  readAuthorizationRequest,
  saveGrant,
} from './library.ts'
import { type OauthRecords, recordKey } from './records.ts'

/** The gateway, as the pages of the authorization server use it. */
interface Host extends Failures {
  provider(): Promise<Provider>
  portal: Pick<Portal, 'who' | 'accounts' | 'signOut'>
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  connections: Pick<Connections, 'create' | 'refuse' | 'shared'>
  records: Pick<OauthRecords, 'consume'>
  tickets: FormTickets
  operator: OperatorContact
  clock: Clock
  limits?: Partial<HourlyLimits> | undefined
}

const FOR_PROGRAMS = [
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

/** Serves the authorization server on the gateway's own port. */
export function mountOauth(app: Hono, host: Host): void {
  const { provider, publicUrl, clock, addressOf } = host
  const { clients, clientsInAll, authorizations } = { ...HOURLY_LIMITS, ...host.limits }
  const clientLimit = new AddressLimit(clock, clients)
  const clientLimitInAll = new HourlyLimit(clock, clientsInAll)
  const authorizationLimit = new AddressLimit(clock, authorizations)
  const answer = (c: PageContext) =>
    answering(addressOf(c), async () => answerByLibrary(c, await provider(), publicUrl()))

  for (const path of FOR_PROGRAMS) app.all(path, answer)
  app.all('/oauth/register', (c: PageContext) => {
    if (c.req.method !== 'POST') return answer(c)
    const refused = clientLimit.count(addressOf(c))
    if (refused) return tooManyClients(c, 'This address has registered too many clients', refused)
    const full = clientLimitInAll.count()
    return full ? tooManyClients(c, 'Too many clients were registered here', full) : answer(c)
  })

  const people = new Hono()
  people.all('/oauth/authorize', (c: PageContext) => {
    const refused = authorizationLimit.count(addressOf(c))
    return refused ? tooManyPage(refused) : answer(c)
  })
  people.all('/oauth/authorize/:uid', answer)
  people.get('/oauth/interaction/:uid', (c: PageContext) =>
    withPerson(host, c, (asked) => showConsent(host, asked, AT_FIRST, {})),
  )
  people.post('/oauth/interaction/:uid', (c: PageContext) => readAnswer(host, c))
  people.onError(failurePages(host))
  app.route('/', people)
}

function tooManyClients(c: PageContext, why: string, { retryAfter }: TooMany): Response {
  const error = { error: 'temporarily_unavailable', error_description: `${why}; try again later.` }
  return c.json(error, 429, { 'retry-after': String(retryAfter), 'cache-control': 'no-store' })
}

/** A page rather than JSON: an assistant sent a person's browser here. */
function tooManyPage({ retryAfter }: TooMany): Response {
  const text =
    'There were too many attempts to connect an assistant from your network. Please try again later.'
  const page = errorPage({ title: 'The assistant could not be connected', text })
  return pageReply(page, { status: 429, headers: { 'retry-after': String(retryAfter) } })
}

/** A person who is asked whether an assistant may be connected. */
interface Asked {
  c: PageContext
  request: AuthorizationRequest
  person: Person
}

/** The form's initial limits: enough for a day of trying out, and a small loss at worst. */
const AT_FIRST: ConsentView['values'] = {
  sending: false,
  dailySpend: '5.00',
  dailyMessages: '50',
  recipients: '',
  unasked: 'refuse',
}

async function readAnswer(host: Host, c: PageContext): Promise<Response> {
  const form = await postedForm(c, host.tickets)
  if (!form) return failure(403, 'This form can’t be used', 'Go back to the assistant and connect again.')
  const decision = form.get('decision')
  if (decision === 'switch') return switchPerson(host, c)
  return withPerson(host, c, (asked) => {
    // If another person has signed in since, in another tab, the answer was not about their wallet: ask again.
    if (c.req.query('wallet') !== asked.person.wallet.id) return showConsent(host, asked, AT_FIRST, {})
    return decision === 'allow' ? allow(host, asked, form) : deny(host, asked)
  })
}

async function withPerson(
  { addressOf, provider, portal, publicUrl }: Host,
  c: PageContext,
  go: (asked: Asked) => Promise<Response> | Response,
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
  return go({ c, request: { ...request, asksSending: request.asksSending && mayLetSend }, person })
}

function toSignIn(c: PageContext, setCookie?: string): Response {
  return goTo(`/sign-in?next=${encodeURIComponent(c.req.path)}`, setCookie)
}

async function switchPerson({ portal, publicUrl }: Host, c: PageContext): Promise<Response> {
  const token = sessionTokenOf(c.req.header('cookie'), publicUrl())
  if (token !== undefined) await portal.signOut(token)
  return toSignIn(c, noSessionCookie(publicUrl()))
}

async function showConsent(
  { portal, tickets, connections, operator }: Host,
  { c, request, person }: Asked,
  values: ConsentView['values'],
  errors: ConsentView['errors'],
): Promise<Response> {
  const several = (await portal.accounts(person.personId)).length > 1
  const { form, setCookie } = tickets.issue(c.req.header('cookie'))
  const { redirectUri, clientId, clientName, clientUri, documentHost, asksSending } = request
  const page = consentPage({
    action: `${c.req.path}?wallet=${person.wallet.id}`,
    form,
    operator,
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

async function allow(host: Host, asked: Asked, form: URLSearchParams): Promise<Response> {
  const { c, request, person } = asked
  const canSend = request.asksSending && form.get('access') === 'send'
  const read = canSend ? readLimits(form) : { limits: undefined }
  const values = { sending: canSend, ...limitValues(form) }
  if ('errors' in read) return showConsent(host, asked, values, read.errors)
  // A browser may have been left open, and sending costs money.
  if (canSend && !person.justProven) return carryOn(`/prove?next=${encodeURIComponent(hereOf(c))}`)
  if (!(await isFirstAnswer(host, request))) return goOn(request, undefined)
  const { accountId, personId, wallet } = person
  const { clientId, clientName, resource, requested } = request
  const library = await host.provider()
  const grantId = await saveGrant(library, { accountId, clientId, resource, requested, canSend })
  const { redirectHost } = redirectPlace(request.redirectUri)
  const { limits } = read
  const made = await host.connections.create({
    accountId,
    personId,
    walletId: wallet.id,
    grantId,
    clientId,
    clientName,
    redirectHost,
    limits,
  })
  const result =
    made === undefined
      ? { error: 'access_denied', error_description: 'the role of the person does not allow it any more' }
      : { login: { accountId, remember: false }, consent: { grantId } }
  return leave(host, asked, result)
}

async function deny(host: Host, asked: Asked): Promise<Response> {
  const { request, person } = asked
  if (!(await isFirstAnswer(host, request))) return goOn(request, undefined)
  await host.connections.refuse(person, { id: request.clientId, name: request.clientName })
  return leave(host, asked, {
    error: 'access_denied',
    error_description: 'the person did not allow it',
  })
}

/** Only the first answer to an authorization counts, for example when a button is clicked twice. */
function isFirstAnswer({ records }: Host, { uid }: AuthorizationRequest): Promise<boolean> {
  return records.consume('Interaction', recordKey('Interaction', uid))
}

async function leave(
  { provider }: Host,
  { c, request }: Asked,
  result: Parameters<Provider['interactionResult']>[2],
): Promise<Response> {
  const { incoming, outgoing } = nodePairOf(c)
  await (await provider()).interactionResult(incoming, outgoing, result)
  return goOn(request, !('error' in result))
}

/** Redirects the browser through a page: after a form, the form-action policy would block a direct redirect. */
function goOn(
  { clientName, redirectUri, goesOnAt }: AuthorizationRequest,
  allowed: boolean | undefined,
): Response {
  const { redirectHost } = redirectPlace(redirectUri)
  return pageReply(leavingPage({ to: goesOnAt, client: clientName, redirectHost, allowed }))
}

function mayNot({ name, role }: Person): Response {
  const text = `In the account of ${name} your role is ${role}, which lets in no assistants. Ask an owner of the account.`
  return failure(403, 'You can’t connect an assistant', text)
}

function failure(status: number, title: string, text: string): Response {
  return pageReply(errorPage({ title, text }), { status })
}

/** The path and query of a request. */
function hereOf(c: PageContext): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}
