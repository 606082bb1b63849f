import type { Hono } from 'hono'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { carryOn, goTo, type PageContext } from '../../../net/pages/reply.ts'
import { newTotpSecret, takesPasskeys } from '../../../sign-in/factors/index.ts'
import { keepToken, nextOf, type Refusal } from '../../../sign-in/portal/index.ts'
import { factorForms, isCarried, passkeyForm, proofIn, proofSheet } from '../../widgets/proof.tsx'
import { recoveryCodesPage } from '../../widgets/reception.tsx'
import { generatorFields, registrationIn } from '../widgets/registration.tsx'
import { FIRST_PAGE, queryOf, type Reception } from './reception.ts'

/** The second factor after a password, and the proof that a person who is in gives again. */
export function mountSecond(app: Hono, reception: Reception): void {
  const { proofs, factors, publicUrl, addressOf, site, realClock } = reception.parts

  app.get('/second', (c: PageContext) => showSecond(reception, c))
  reception.post('/second', async (c, form) => {
    const [token, proof] = [reception.tokenOf(c), proofIn(form)]
    if (token === undefined || !proof) return showSecond(reception, c)
    const result = await proofs.show(token, proof, site())
    if (result.kind !== 'right')
      return showSecond(
        reception,
        c,
        reception.refusalOf(result, 'That did not fit: the passkey or the code is not yours, or was used.'),
      )
    keepToken(c, publicUrl(), result)
    return reception.goIn(c, result.token)
  })
  reception.post('/second/get', async (c, form) => {
    const token = reception.tokenOf(c)
    const half = await proofs.half(token)
    if (token === undefined || half?.state !== 'get') return showSecond(reception, c)
    const registration = registrationIn(form)
    const result = await factors.add({ ...half, token }, registration, site())
    if (result.kind === 'wrong') {
      const words = 'That did not fit. If it was a code: is the clock of the device right?'
      return showSecond(reception, c, { status: 422, error: words }, form.get('secret') ?? undefined)
    }
    keepToken(c, publicUrl(), result)
    const codes = result.recoveryCodes ?? []
    const made = { codes, whose: [half.name, half.email], at: realClock.now() }
    return reception.show(c, 'Recovery codes', () => recoveryCodesPage(made, nextOf(c) ?? FIRST_PAGE))
  })

  app.get('/prove', (c: PageContext) => showProve(reception, c, new URLSearchParams()))
  reception.post('/prove', async (c, form) => {
    const [token, proof] = [reception.tokenOf(c), proofIn(form)]
    if (token === undefined || !proof) return showProve(reception, c, form)
    const result = await proofs.prove(token, proof, site(), addressOf(c))
    if (result.kind !== 'right') return showProve(reception, c, form, reception.refusalOf(result))
    keepToken(c, publicUrl(), result)
    const next = nextOf(c) ?? FIRST_PAGE
    return isCarried(form) ? carryOn(next) : goTo(next)
  })
}

/** Asks for the second factor after a right password, or has the person register one. */
async function showSecond(
  reception: Reception,
  c: PageContext,
  refusal?: Refusal,
  secret?: string,
): Promise<Response> {
  const { proofs, publicUrl } = reception.parts
  const half = await proofs.half(reception.tokenOf(c))
  if (!half) return goTo(`/sign-in${queryOf(c)}`)
  const view = { query: queryOf(c), error: refusal?.error }
  if (half.state === 'show')
    return reception.show(c, 'One more step', (form) => secondPage({ form, ...view }), { refusal })
  const { name: account, email } = half
  const more = { account, email, secret: secret ?? newTotpSecret(), passkeys: takesPasskeys(publicUrl()) }
  return reception.show(c, 'One more step', (form) => getPage({ form, ...view, ...more }), { refusal })
}

/** Has somebody who is in show again who they are, for the page that sent them here, with its form if there is one. */
async function showProve(
  reception: Reception,
  c: PageContext,
  form: URLSearchParams,
  refusal?: Refusal,
): Promise<Response> {
  const { portal, proofs } = reception.parts
  const person = await portal.who(reception.tokenOf(c))
  if (!person) return goTo(`/sign-in${queryOf(c)}`)
  const by = await proofs.asks(person.personId)
  const view = { action: `/prove${queryOf(c)}`, form, by, options: '/passkey/prove' }
  const leave = FIRST_PAGE
  return reception.show(
    c,
    'Is it you?',
    (ticket) => proofSheet({ ...view, ticket, error: refusal?.error, leave }),
    {
      refusal,
    },
  )
}

interface SecondView {
  form: FormTicket
  query: string
  error: string | undefined
}

const refusal = (error: string | undefined) =>
  error !== undefined && (
    <div class="note bad" role="alert">
      <p>{error}</p>
    </div>
  )

/** Asks for a passkey or a code after the password. It says nothing of which the person has. */
function secondPage({ form, query, error }: SecondView): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>One more step</h1>
      <p>Your password is right. Show your passkey now, or type a code.</p>
      {refusal(error)}
      {factorForms(`/second${query}`, ticketField(form), '/passkey/second')}
      <form method="post" action="/sign-out">
        {ticketField(form)}
        <p class="small">
          <button class="link">Sign in as somebody else</button>
        </p>
      </form>
    </div>
  )
}

interface GetView extends SecondView {
  /** The name of the account that asks for it. */
  account: string
  email: string
  /** Of a generator, in case the person wants one. */
  secret: string
  passkeys: boolean
}

/** Has a person get a second factor, which their account requires. */
function getPage({ form, query, error, account, email, secret, passkeys }: GetView): Markup {
  const hidden = ticketField(form)
  return (
    <div class="sheet">
      {flag}
      <h1>One more step</h1>
      <p>
        Everybody in the account of <bdi>{account}</bdi> signs in with more than a password. Choose what you
        use from now on.
      </p>
      {refusal(error)}
      {passkeys &&
        passkeyForm({
          action: `/second/get${query}`,
          hidden,
          options: '/passkey/add',
          kind: 'create',
          button: 'Make a passkey',
        })}
      <details class="left" open={error !== undefined || !passkeys}>
        <summary>Use a code generator instead</summary>
        <form method="post" action={`/second/get${query}`}>
          {hidden}
          {generatorFields({ secret, email, error: undefined })}
          <p>
            <button class="second big">Use the generator</button>
          </p>
        </form>
      </details>
    </div>
  )
}
