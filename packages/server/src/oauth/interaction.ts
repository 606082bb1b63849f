import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type Provider from 'oidc-provider'
import type { Connections } from '../gateway/connections.ts'
import type { OauthRecords } from '../gateway/oauth-records.ts'
import type { Person, Portal } from '../gateway/sign-in.ts'
import { type BrowserSessionOptions, confirmPerson, type Refusal } from '../pages/browser-session.ts'
import { type ConsentView, consentPage } from '../pages/consent.ts'
import { errorPage } from '../pages/error.ts'
import type { FormTickets } from '../pages/form-ticket.ts'
import { leavingPage } from '../pages/leaving.ts'
import { limitValues, readLimits } from '../pages/limits-form.ts'
import type { PageContext } from '../pages/page-context.ts'
import { LARGEST_FORM, postedForm } from '../pages/posted-form.ts'
import { redirectPlace } from '../pages/redirect-place.ts'
import { goTo, pageReply, retryHeader } from '../pages/reply.ts'
import { noSessionCookie, sessionTokenOf } from '../pages/session-cookie.ts'
import { type Asked, readAsked } from './asked.ts'
import { answering } from './caller.ts'
import { saveGrant } from './grant.ts'
import { nodePairOf } from './hand-over.ts'
import { recordKey } from './record-key.ts'

export interface InteractionOptions extends BrowserSessionOptions {
  provider(): Promise<Provider>
  portal: Pick<Portal, 'who' | 'signIn' | 'signOut'>
  connections: Pick<Connections, 'create' | 'refuse'>
  records: Pick<OauthRecords, 'consume'>
  tickets: FormTickets
}

const PATH = '/oauth/interaction/:uid'
/** What the form shows at first: enough for a day of trying, little enough to lose. */
const AT_FIRST: ConsentView['values'] = {
  sending: false,
  dailySpend: '5.00',
  dailyMessages: '50',
  recipients: '',
}

const SHOWN = { status: 200 }

/** The pages on which a person allows an assistant what it asks for, or not. */
export function mountInteractions(app: Hono, options: InteractionOptions): void {
  const { provider, publicUrl, addressOf, portal, connections, records, tickets } = options

  app.get(PATH, (c: PageContext) =>
    withPerson(c, (asked, person) => showConsent(c, asked, person, AT_FIRST, {}, SHOWN)),
  )

  const limit = bodyLimit({
    maxSize: LARGEST_FORM,
    onError: () =>
      failure(
        413,
        'This form is too large',
        `Expected at most ${LARGEST_FORM / 1_024} KiB. Nothing was allowed.`,
      ),
  })
  app.post(PATH, limit, async (c: PageContext) => {
    const form = await postedForm(c.req, tickets)
    if (!form) {
      return failure(403, 'This form is not from here', 'Go back to the assistant and connect again.')
    }
    const decision = form.get('decision')
    if (decision === 'switch') return switchPerson(c)
    return withPerson(c, (asked, person) => {
      // Somebody else may have signed in since, in another tab: nobody answered for their wallet.
      if (c.req.query('wallet') !== person.wallet.id)
        return showConsent(c, asked, person, AT_FIRST, {}, SHOWN)
      return decision === 'allow' ? allow(c, asked, person, form) : deny(c, asked, person)
    })
  })

  async function withPerson(
    c: PageContext,
    go: (asked: Asked, person: Person) => Promise<Response> | Response,
  ): Promise<Response> {
    const asked = await answering(addressOf(c), async () => readAsked(await provider(), nodePairOf(c)))
    if (!asked) {
      const again =
        'It has expired, or was begun in another browser. Go back to the assistant and connect again.'
      return failure(400, 'There is nothing to allow', again)
    }
    const person = await portal.who(sessionTokenOf(c.req.header('cookie'), publicUrl()))
    return person ? go(asked, person) : toSignIn(c)
  }

  function toSignIn(c: PageContext, setCookie?: string): Response {
    return goTo(`/sign-in?next=${encodeURIComponent(c.req.path)}`, setCookie)
  }

  async function switchPerson(c: PageContext): Promise<Response> {
    const token = sessionTokenOf(c.req.header('cookie'), publicUrl())
    if (token !== undefined) await portal.signOut(token)
    return toSignIn(c, noSessionCookie(publicUrl()))
  }

  function showConsent(
    c: PageContext,
    asked: Asked,
    person: Person,
    values: ConsentView['values'],
    errors: ConsentView['errors'],
    { status, retryAfter }: Pick<Refusal, 'status' | 'retryAfter'>,
  ): Response {
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const { redirectUri, clientId, clientName, clientUri, documentHost, asksSending } = asked
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
      asksSending,
      askPassword: !person.justSignedIn,
      values,
      errors,
    })
    return pageReply(page, { status, setCookie, headers: retryHeader(retryAfter) })
  }

  async function allow(
    c: PageContext,
    asked: Asked,
    person: Person,
    form: URLSearchParams,
  ): Promise<Response> {
    const canSend = asked.asksSending && form.get('access') === 'send'
    const read = canSend ? readLimits(form) : { limits: undefined }
    const values = { sending: canSend, ...limitValues(form) }
    if ('errors' in read) return showConsent(c, asked, person, values, read.errors, { status: 422 })
    const confirmed = canSend ? await confirmPerson(c, options, person, form) : { setCookie: undefined }
    if ('refusal' in confirmed) {
      const { refusal } = confirmed
      return showConsent(c, asked, person, values, { password: refusal.error }, refusal)
    }
    const { setCookie } = confirmed
    if (!(await isFirstAnswer(asked))) return goOn(asked, undefined, setCookie)
    const { accountId, wallet } = person
    const { clientId, clientName, resource, requested } = asked
    const library = await provider()
    const grantId = await saveGrant(library, { accountId, clientId, resource, requested, canSend })
    const { redirectHost } = redirectPlace(asked.redirectUri)
    const { limits } = read
    await connections.create({
      accountId,
      walletId: wallet.id,
      grantId,
      clientId,
      clientName,
      redirectHost,
      limits,
    })
    return leave(c, asked, { login: { accountId, remember: false }, consent: { grantId } }, setCookie)
  }

  async function deny(c: PageContext, asked: Asked, { accountId }: Person): Promise<Response> {
    if (!(await isFirstAnswer(asked))) return goOn(asked, undefined)
    await connections.refuse(accountId, { id: asked.clientId, name: asked.clientName })
    return leave(c, asked, { error: 'access_denied', error_description: 'the person did not allow it' })
  }

  /** Of several answers to one authorization, as of two clicks on a button, the first one counts. */
  function isFirstAnswer({ uid }: Asked): Promise<boolean> {
    return records.consume('Interaction', recordKey('Interaction', uid))
  }

  async function leave(
    c: PageContext,
    asked: Asked,
    result: Parameters<Provider['interactionResult']>[2],
    setCookie?: string,
  ): Promise<Response> {
    const { incoming, outgoing } = nodePairOf(c)
    await (await provider()).interactionResult(incoming, outgoing, result)
    return goOn(asked, !('error' in result), setCookie)
  }

  function failure(status: number, title: string, text: string): Response {
    return pageReply(errorPage({ title, text }), { status })
  }
}

/** Sends the browser on. As a page, since a browser holds redirects after a form to where forms may go. */
function goOn(
  { clientName, redirectUri, goesOnAt }: Asked,
  allowed: boolean | undefined,
  setCookie?: string,
): Response {
  const { redirectHost } = redirectPlace(redirectUri)
  return pageReply(leavingPage({ to: goesOnAt, client: clientName, redirectHost, allowed }), { setCookie })
}
