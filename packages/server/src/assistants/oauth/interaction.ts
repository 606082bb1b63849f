import type { Hono } from 'hono'
import type Provider from 'oidc-provider'
import { errorPage } from '../../platform/pages/error.ts'
import { type FormTickets, postedForm } from '../../platform/pages/forms.ts'
import { goTo, type PageContext, pageReply, retryHeader } from '../../platform/pages/reply.ts'
import {
  type BrowserSessionOptions,
  confirmPerson,
  noSessionCookie,
  type Person,
  type Portal,
  type Refusal,
  sessionTokenOf,
} from '../../portal/index.ts'
import { leavingPage, redirectPlace } from '../consent/leaving.ts'
import { limitValues, readLimits } from '../consent/limits.ts'
import { type ConsentView, consentPage } from '../consent/page.ts'
import type { Grants } from '../grants.ts'
import { type Asked, readAsked, saveGrant } from './asked.ts'
import { answering, nodePairOf } from './hand-over.ts'
import { type OauthRecords, recordKey } from './records.ts'

export interface InteractionOptions extends BrowserSessionOptions {
  provider(): Promise<Provider>
  portal: Pick<Portal, 'who' | 'signIn' | 'signOut'>
  grants: Pick<Grants, 'create' | 'refuse'>
  records: Pick<OauthRecords, 'consume'>
  tickets: FormTickets
}

const PATH = '/oauth/interaction/:uid'
/** The form's initial limits: enough for a day of trying out, and a small loss at worst. */
const AT_FIRST: ConsentView['values'] = {
  sending: false,
  dailySpend: '5.00',
  dailyMessages: '50',
  recipients: '',
  unasked: 'send',
}

const SHOWN = { status: 200 }

/** The pages on which a person allows or denies what an assistant asks for. */
export function mountInteractions(app: Hono, options: InteractionOptions): void {
  const { provider, publicUrl, addressOf, portal, grants, records, tickets } = options

  app.get(PATH, (c: PageContext) =>
    withPerson(c, (asked, person) => showConsent(c, asked, person, AT_FIRST, {}, SHOWN)),
  )

  app.post(PATH, async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) {
      return failure(403, 'This form can’t be used', 'Go back to the assistant and connect again.')
    }
    const decision = form.get('decision')
    if (decision === 'switch') return switchPerson(c)
    return withPerson(c, (asked, person) => {
      // If another person has signed in since, in another tab, the answer was not about their wallet: ask again.
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
    await grants.create({
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
    await grants.refuse(accountId, { id: asked.clientId, name: asked.clientName })
    return leave(c, asked, { error: 'access_denied', error_description: 'the person did not allow it' })
  }

  /** Only the first answer to an authorization counts, for example when a button is clicked twice. */
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

/** Redirects the browser through a page: after a form, the form-action policy would block a direct redirect. */
function goOn(
  { clientName, redirectUri, goesOnAt }: Asked,
  allowed: boolean | undefined,
  setCookie?: string,
): Response {
  const { redirectHost } = redirectPlace(redirectUri)
  return pageReply(leavingPage({ to: goesOnAt, client: clientName, redirectHost, allowed }), { setCookie })
}
