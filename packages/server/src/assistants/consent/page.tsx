import type { OperatorContact } from '../../kernel/operator-contact.ts'
import type { SharedLimit } from '../../messages/sending/index.ts'
import type { FormTicket } from '../../net/pages/forms.tsx'
import { layout, ticketField } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import { operatorFoot } from '../../net/pages/operator.tsx'
import { appScheme } from './leaving.tsx'
import { type LimitErrors, type LimitValues, limitsFields, limitsWrong, sharedLimits } from './limits.tsx'
import { clientName, LONGEST_ADDRESS, theirWords } from './their-words.tsx'

export interface ConsentView {
  operator: OperatorContact
  action: string
  form: FormTicket
  client: {
    /** As it calls itself. */
    name: string
    id: string
    uri?: string
    /** As {@link redirectPlace} names it. */
    redirectHost: string
    loopback: boolean
    /** The host that its description was fetched from, if it has one. */
    documentHost?: string
  }
  person: { email: string; name: string }
  /** Where the person opens another of their accounts; undefined when they have one. */
  otherAccount: string | undefined
  wallet: { id: string; currency: string }
  asksSending: boolean
  /** Limits that all assistants of the person, and of the account, share. */
  shared: readonly SharedLimit[]
  /** The typed values when the form is shown again with errors; otherwise the defaults. */
  values: { sending: boolean } & LimitValues
  errors: LimitErrors
}

/**
 * Asks whether an assistant may be connected. The form posts `decision` (`allow` or `deny`), `access` (`read` or
 * `send`) and the limits. A second form posts the decision `switch`, to sign in as another person.
 */
export function consentPage(view: ConsentView): string {
  const { action, form, wallet, asksSending, values, errors, otherAccount } = view
  const wrong = limitsWrong('limit', errors, 'Nothing is connected yet.')
  const body = (
    <>
      <h1>Connect an assistant?</h1>
      <p class="soft">It asks to use your account at this messaging service.</p>
      {wrong}
      <section class="sheet" aria-label="Who asks">
        <dl class="facts">
          <div>
            <dt>It calls itself</dt>
            <dd>
              {clientName(view.client.name)}
              <p class="soft small">It chose this name by itself. Anybody can choose any name.</p>
            </dd>
          </div>
          <div>
            <dt>What is known</dt>
            <dd>{home(view.client)}</dd>
          </div>
          <div>
            <dt>Answer goes to</dt>
            <dd>{destination(view.client)}</dd>
          </div>
          <div>
            <dt>Wallet</dt>
            <dd>
              <strong>{wallet.currency}</strong>
              <p class="soft small">{wallet.id}</p>
            </dd>
          </div>
          <div>
            <dt>Signed in as</dt>
            <dd>
              {view.person.name}
              <br />
              <span class="soft">{view.person.email}</span>
              {otherAccount !== undefined && (
                <p class="small">
                  <a href={otherAccount}>Another of your accounts</a>
                </p>
              )}
              <form method="post" action={action}>
                {ticketField(form)}
                <button class="link small" name="decision" value="switch">
                  Not you? Sign in as somebody else
                </button>
              </form>
            </dd>
          </div>
        </dl>
      </section>
      <form method="post" action={action} class="sheet">
        {ticketField(form)}
        {asksSending ? choices(values.sending) : onlyReads}
        {asksSending && (
          <div class="limits">
            <fieldset>
              <legend>Limits for sending</legend>
              <p class="soft">
                They matter only if it may send. They hold whatever the assistant does, a day ends at midnight
                UTC, and you can change them later.
              </p>
              {limitsFields({ id: 'limit', currency: wallet.currency, values, errors })}
              {sharedLimits(view.shared, wallet.currency)}
            </fieldset>
          </div>
        )}
        <div class="buttons pair">
          <button name="decision" value="allow">
            Allow
          </button>{' '}
          <button name="decision" value="deny" class="second" formnovalidate>
            Deny
          </button>
        </div>
      </form>
      <p class="soft small">
        Go on only if you were just connecting this assistant yourself. You can end the connection at any time
        on the page “Assistants”.
      </p>
      {operatorFoot(view.operator)}
    </>
  )
  return layout({ title: wrong ? 'Error: Connect an assistant?' : 'Connect an assistant?', body })
}

const READS = 'Your balance, your messages with their text, delivery reports, prices and sender IDs.'

const onlyReads = (
  <>
    <input type="hidden" name="access" value="read" />
    <h2>It asks to read only</h2>
    <p class="soft">{READS} It can’t send, and it can’t spend.</p>
  </>
)

function choices(sending: boolean): Markup {
  return (
    <fieldset>
      <legend>What may it do?</legend>
      <label class="choice">
        <input type="radio" name="access" value="read" checked={!sending} />
        <span>
          <strong>Only read</strong>
          <span>{READS} It can’t send, and it can’t spend.</span>
        </span>
      </label>{' '}
      <label class="choice">
        <input type="radio" name="access" value="send" checked={sending} />
        <span>
          <strong>Read and send</strong>
          <span>
            Also send, schedule and cancel messages, paid from this wallet, within limits that you set.
          </span>
        </span>
      </label>
    </fieldset>
  )
}

function home({ documentHost, id, uri }: ConsentView['client']): Markup {
  if (documentHost !== undefined) {
    return (
      <>
        <strong>
          <bdi>{documentHost}</bdi>
        </strong>
        <p class="soft small">
          Its description was fetched from <bdi>{theirWords(id, LONGEST_ADDRESS)}</bdi>. Anyone who can
          publish there can write one, so it does not show who made the assistant.
        </p>
      </>
    )
  }
  const said = uri !== undefined && URL.canParse(uri) ? new URL(uri).host : ''
  return (
    <>
      Not known
      <p class="soft small">
        {said !== '' && (
          <>
            It says that it belongs to <bdi>{said}</bdi>.{' '}
          </>
        )}
        Nobody has checked who made it.
      </p>
    </>
  )
}

function destination({ redirectHost, loopback }: ConsentView['client']): Markup {
  const scheme = appScheme(redirectHost)
  const place = (
    <strong>
      <bdi>{theirWords(redirectHost, LONGEST_ADDRESS)}</bdi>
    </strong>
  )
  if (loopback) {
    return (
      <>
        {place}
        <div class="note warn">
          <p>
            <strong>A program on this computer.</strong> Any program that runs here could be behind it. Allow
            it only if you started it yourself.
          </p>
        </div>
      </>
    )
  }
  if (scheme !== undefined) {
    return (
      <>
        {place}
        <div class="note warn">
          <p>
            <strong>An app on this device</strong> that opens “{theirWords(scheme, 40)}:” links. Any app
            installed here could claim them. Allow it only if you started connecting in that app yourself.
          </p>
        </div>
      </>
    )
  }
  return place
}
