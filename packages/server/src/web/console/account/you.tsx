import type { EpochMs } from '../../../kernel/ids.ts'
import { ticketField } from '../../../net/pages/layout.tsx'
import { goTo, retryHeader } from '../../../net/pages/reply.ts'
import { newTotpSecret, takesPasskeys } from '../../../sign-in/factors/index.ts'
import { keepToken, PASSWORD_BUSY, passwordMistake, type Refusal } from '../../../sign-in/portal/index.ts'
import { recoveryCodes } from '../../widgets/reception.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { generatorFields, registrationIn, unfit } from '../widgets/registration.tsx'
import { youPage } from './you-page.tsx'

const PATH = '/you'
const READ = { right: 'read' } as const
const PROVEN = { right: 'read', proven: true } as const
/** The form has fields of its own that look like a proof. */
const PROVEN_BEFORE = { right: 'read', proven: 'before' } as const

/** A person's own page: what they sign in with, and their sessions. */
export function mountYou(pages: Pages, parts: ConsoleParts): void {
  const { portal, factors, sessions, publicUrl, realClock } = parts

  /** The page, and what was not done; `again` opens the form that it was about. */
  async function page(visit: Visit, refusal?: Refusal, again?: 'password'): Promise<Page> {
    const { c, person, form, self } = visit
    const view = {
      person,
      form,
      again,
      wrong: refusal?.error,
      now: realClock.now(),
      passkeys: takesPasskeys(publicUrl()),
      factors: await factors.list(person.personId),
      sessions: await sessions.list(self),
      accounts: await portal.accounts(person.personId),
      done: refusal ? undefined : c.req.query('done'),
    }
    return {
      title: 'Your sign-in',
      place: 'you',
      middle: true,
      script: 'proof',
      status: refusal?.status ?? 200,
      headers: retryHeader(refusal?.retryAfter),
      body: youPage(view),
    }
  }

  pages.show(PATH, 'read', (visit) => page(visit))

  pages.change(`${PATH}/passkeys`, PROVEN_BEFORE, (visit, form) => add(visit, form))
  pages.change(`${PATH}/passkeys/name`, READ, async ({ person }, form) => {
    await factors.rename(person.personId, form.get('id') ?? '', form.get('name') ?? '')
    return goTo(`${PATH}?done=named`)
  })
  pages.change(`${PATH}/passkeys/remove`, PROVEN, (visit, form) =>
    remove(visit, { passkey: form.get('id') ?? '' }),
  )

  pages.show(`${PATH}/generator`, 'read', async (visit) => generatorPage(visit, newTotpSecret()))
  pages.change(`${PATH}/generator`, PROVEN_BEFORE, (visit, form) => add(visit, form))
  pages.change(`${PATH}/generator/remove`, PROVEN, (visit) => remove(visit, 'generator'))

  pages.change(`${PATH}/recovery`, PROVEN, async (visit) =>
    codesPage(visit, await factors.newRecoveryCodes(visit.self), realClock.now()),
  )

  pages.change(`${PATH}/password`, PROVEN, async (visit, form) => {
    const password = form.get('new_password') ?? ''
    const mistake = passwordMistake(password, [
      visit.person.email,
      visit.person.name,
      parts.operator.name ?? '',
    ])
    if (mistake !== undefined) return page(visit, unfit(`${mistake} It is as it was.`), 'password')
    const assistants = form.get('keep') === 'assistants' ? 'keep' : 'end'
    const { kind } = await factors.setPassword(visit.self, password, assistants)
    if (kind === 'busy') return page(visit, PASSWORD_BUSY, 'password')
    return goTo(`${PATH}?done=password`)
  })

  pages.change(`${PATH}/sessions/end`, PROVEN, async ({ self }, form) => {
    await sessions.end(self, form.get('id') ?? '')
    return goTo(`${PATH}?done=ended#sessions`)
  })
  pages.change(`${PATH}/sessions/others`, PROVEN, async ({ self }) => {
    await sessions.endOthers(self)
    return goTo(`${PATH}?done=others#sessions`)
  })

  async function add(visit: Visit, form: URLSearchParams): Promise<Page | Response> {
    const registration = registrationIn(form)
    const result = await factors.add(visit.self, registration, parts.site())
    if (result.kind === 'wrong') {
      if ('secret' in registration)
        return generatorPage(
          visit,
          registration.secret,
          'The code does not fit the key. Is the clock of the device right?',
        )
      return page(visit, unfit('The browser’s answer did not fit. Nothing was added: try again.'))
    }
    keepToken(visit.c, publicUrl(), result)
    return result.recoveryCodes
      ? codesPage(visit, result.recoveryCodes, realClock.now())
      : goTo(`${PATH}?done=added`)
  }

  async function remove(visit: Visit, which: Parameters<typeof factors.remove>[1]): Promise<Page | Response> {
    const result = await factors.remove(visit.self, which)
    if (result === 'required')
      return page(
        visit,
        unfit('An account of yours requires a second factor, and this is your last: add another first.'),
      )
    return goTo(result === 'removed' ? `${PATH}?done=removed` : PATH)
  }
}

function generatorPage({ form, person: { email } }: Visit, secret: string, error?: string): Page {
  return {
    title: 'Code generator',
    place: 'you',
    middle: true,
    status: error === undefined ? 200 : 422,
    body: (
      <>
        <div class="head">
          <a class="back" href={PATH}>
            <span aria-hidden="true">← </span>Your sign-in
          </a>
          <h1>Set up a code generator</h1>
        </div>
        <section class="sheet narrow">
          <form method="post" action={`${PATH}/generator`}>
            {ticketField(form)}
            {generatorFields({ secret, email, error })}
            <p>
              <button>Use it</button>
            </p>
          </form>
        </section>
      </>
    ),
  }
}

function codesPage({ person }: Visit, codes: readonly string[], at: EpochMs): Page {
  return {
    title: 'Recovery codes',
    place: 'you',
    script: 'proof',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>Your recovery codes</h1>
        </div>
        <section class="sheet narrow">
          <p>
            Each lets you in once, in place of your passkey or code. They are shown now and never again: keep
            them where you find them without this device.
          </p>
          {recoveryCodes({ codes, whose: [person.name, person.email], at })}
          <p>
            <a class="button" href={PATH}>
              I have kept them
            </a>
          </p>
        </section>
      </>
    ),
  }
}
