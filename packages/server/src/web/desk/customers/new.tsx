import { type Micros, parseAmount, ZERO } from '@wigwag/contract'
import { type AccountSecrets, OperatorError } from '../../../accounts/index.ts'
import type { Membership } from '../../../accounts/people/index.ts'
import { checkSender } from '../../../kernel/sent-fields.ts'
import { enteredCurrency, enteredEmail, enteredName } from '../../../kernel/text/entered.ts'
import { field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { money } from '../../widgets/money.tsx'
import { type Entered, ending, type Problems, readFields, typedIn } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { secretBox, signInNote } from './words.tsx'

/** Making a customer, whose secrets are shown once. */
export function mountNew(pages: Pages, { workOf, consoleUrl }: DeskParts): void {
  pages.show('/customers/new', ACT, async (visit) => newPage(visit, EMPTY))
  pages.change('/customers/new', PROVEN, async (visit, form) => {
    const typed = typedIn(form, ['name', 'email', 'currency', 'balance', 'senders'])
    const read = readNew(form)
    if ('problems' in read) return newPage(visit, typed, read.problems)
    try {
      const { operator, people } = workOf(visit.acting)
      const secrets = await operator.createAccount(read.values)
      const { accountId } = secrets
      const secret = consoleUrl && (await people.firstLink(accountId, read.values.email))
      const link = secret && `${consoleUrl()}/invited#${secret}`
      const signsInTo = await people.signsInElsewhere(accountId, read.values.email)
      return secretsPage(read.values, secrets, { link, signsInTo })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      const email = `There is a customer with ${read.values.email} already. If you have just made it and missed its secrets, replace them on its page.`
      return newPage(visit, typed, { email })
    }
  })
}

const FIELDS = [
  { name: 'name', label: 'Name', hint: 'What the customer is called here and in the console' },
  { name: 'email', label: 'E-mail', hint: 'Of the account; its owner begins to sign in with it' },
  { name: 'currency', label: 'Currency', hint: 'Of the wallet, for good: such as GHS' },
  { name: 'balance', label: 'First balance', hint: 'In that currency, such as 50 or 0.045' },
  { name: 'senders', label: 'Sender IDs', hint: 'Approved at once, with commas between them; may be empty' },
] as const

const EMPTY: Problems = { currency: 'GHS', balance: '0' }

interface NewCustomer {
  name: string
  email: string
  currency: string
  balance: Micros
  senders: string[]
}

function readNew(form: URLSearchParams): Entered<NewCustomer> {
  return readFields(form, {
    name: enteredName,
    email: (text) => enteredEmail(text.trim()),
    currency: (text) => enteredCurrency(text.trim()),
    balance: (text) => (text.trim() === '' ? ZERO : parseAmount(text.trim())),
    senders(text) {
      const senders = new Set(text.split(',').map((one) => one.trim()))
      senders.delete('')
      for (const sender of senders) checkSender(sender)
      return [...senders]
    },
  })
}

function newPage({ form }: Visit, typed: Problems, problems: Problems = {}): Page {
  const isWrong = Object.keys(problems).length > 0
  return {
    title: 'New customer',
    place: 'customers',
    middle: true,
    status: isWrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>New customer</h1>
        </div>
        <section class="sheet narrow">
          <p>
            This makes an account with one API client, one wallet and a secret for callbacks. The secrets are
            shown once, on the next page.
          </p>
          <form method="post" action="/customers/new">
            {ticketField(form)}
            {FIELDS.map((each) => input(each, typed[each.name], problems[each.name]))}
            {ending(<button>Make the customer</button>, '/customers')}
          </form>
        </section>
      </>
    ),
  }
}

function input(
  { name, label, hint }: (typeof FIELDS)[number],
  value: string | undefined,
  error: string | undefined,
): Markup {
  return field({ id: name, label, hint, error }, (ties) => (
    <input
      class="box"
      {...ties}
      name={name}
      value={value ?? ''}
      autocomplete="off"
      spellcheck={false}
      required={name !== 'senders' && name !== 'balance'}
    />
  ))
}

/** The link for the owner, unless nobody can sign in, and the other accounts to which their address signs in. */
interface OwnerLink {
  link: string | undefined
  signsInTo: readonly Membership[]
}

/** The only time that they are shown. */
function secretsPage(made: NewCustomer, secrets: AccountSecrets, { link, signsInTo }: OwnerLink): Page {
  const rows = [
    ['account', 'Account ID', secrets.accountId],
    ['client', 'Client ID', secrets.clientId],
    ['secret', 'Client secret', secrets.clientSecret],
    ['token', 'Wallet token', secrets.walletToken],
    ['callback', 'Callback secret', secrets.callbackSecret],
  ] as const
  return {
    title: 'The secrets',
    place: 'customers',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            The secrets of <bdi>{made.name}</bdi>
          </h1>
        </div>
        <section class="sheet">
          <p>
            The account is there, with {money(made.balance, made.currency)} and{' '}
            {made.senders.length === 0 ? (
              'no sender ID'
            ) : (
              <>
                the sender IDs <bdi>{made.senders.join(', ')}</bdi>
              </>
            )}
            . The client secret and the wallet token are shown now and never again: give them to the customer
            on a safe way.
          </p>
          {rows.map(([id, label, value]) => secretBox(id, label, value))}
          {link !== undefined && (
            <>
              <h2>How its owner signs in</h2>
              <p>
                Give this link to <bdi>{made.email}</bdi>. It is good once, for three days, and leads to the
                console.
              </p>
              {secretBox('link', 'The link', link)}
              {signInNote(made.email, signsInTo)}
            </>
          )}
          <p>
            <a class="button second" href={`/customers/${secrets.accountId}`}>
              I have kept them
            </a>
          </p>
        </section>
      </>
    ),
  }
}
