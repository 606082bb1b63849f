import { counted } from '@wigwag/contract'
import { OperatorError } from '../../accounts/index.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { type FormTicket, field } from '../../net/pages/forms.tsx'
import { ticketField } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import { goTo } from '../../net/pages/reply.ts'
import type { ListedOperator, OperatorSession } from '../../sign-in/operators/index.ts'
import { listTime } from '../times.tsx'
import { copyButton } from '../widgets/code.tsx'
import { tableHead, unseen } from '../widgets/table.tsx'
import type { Pages } from './frame/pages.ts'
import { ACT, LOOK, type Page, PROVEN, type Visit } from './frame/visit.ts'
import type { DeskParts } from './parts.ts'

const LONGEST_NAME = 60

/** Who may enter the desk. */
export function mountOperators(pages: Pages, { workOf, url, clock }: DeskParts): void {
  async function list({ acting, operator, form }: Visit, problem?: ListView['problem']): Promise<Page> {
    const listed = await workOf(acting).operators.list()
    return listPage({ listed, me: operator, form, now: clock.now(), problem })
  }

  pages.show('/operators', LOOK, list)

  // Who may come in decides about money too, so it is asked again who does this.
  pages.change('/operators/add', PROVEN, async (visit, form) => {
    const name = (form.get('name') ?? '').trim()
    const role = form.get('role') === 'act' ? 'act' : 'look'
    if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
      return list(visit, { name, error: `Expected a name of 1 to ${LONGEST_NAME} characters.` })
    try {
      const { operator, secret } = await workOf(visit.acting).operators.add(name, role)
      return linkPage(operator, `${url()}/enter#${secret}`)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return list(visit, {
        name,
        error: `There is an operator ${name} already. End them first, and add them again.`,
      })
    }
  })

  pages.show('/operators/end', ACT, async (visit) => {
    const name = visit.c.req.query('name') ?? ''
    const listed = await workOf(visit.acting).operators.list()
    const found = listed.find((each) => each.name === name && each.endedAt === 0)
    return found ? confirmEndPage(found, visit) : goTo('/operators')
  })

  pages.change('/operators/end', PROVEN, async (visit, form) => {
    try {
      await workOf(visit.acting).operators.end(form.get('name') ?? '')
    } catch (error) {
      // Somebody else was quicker.
      if (!(error instanceof OperatorError)) throw error
    }
    return goTo('/operators')
  })
}

export interface ListView {
  listed: readonly ListedOperator[]
  /** Who looks. */
  me: OperatorSession
  form: FormTicket
  now: EpochMs
  /** The refused name of a new operator. */
  problem?: { name: string; error: string } | undefined
}

const ROLES = { look: 'looks', act: 'acts' }

function listPage(view: ListView): Page {
  const { me, problem } = view
  return {
    title: 'Operators',
    place: 'operators',
    middle: true,
    status: problem ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Operators</h1>
        </div>
        {list(view)}
        {me.role === 'act' ? (
          addForm(view)
        ) : (
          <p class="soft">You may look. Operators who act add others and end them.</p>
        )}
      </>
    ),
  }
}

function list({ listed, me, now }: ListView): Markup {
  const rows = listed.map(({ name, role, createdAt, endedAt, factors }) => {
    const isOver = endedAt > 0
    const end = me.role === 'act' && !isOver && (
      <a href={`/operators/end?name=${encodeURIComponent(name)}`}>
        End<span class="unseen"> {name}</span>
      </a>
    )
    return (
      <tr>
        <th scope="row" class="plain">
          <bdi>{name}</bdi>
          {!isOver && name === me.name && (
            <>
              {' '}
              <span class="soft">(you)</span>
            </>
          )}
        </th>
        <td>{ROLES[role]}</td>
        <td>{isOver ? <>ended {listTime(endedAt, now)}</> : <>since {listTime(createdAt, now)}</>}</td>
        <td>{isOver ? '–' : factorsOf(factors)}</td>
        <td class="num">{end}</td>
      </tr>
    )
  })
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Operators">
      <table>
        <caption class="unseen">Operators</caption>
        {tableHead('Name', 'Role', 'When', 'Signs in with', unseen('End'))}
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}

function factorsOf({ passkeys, hasGenerator, recoveryCodes }: ListedOperator['factors']): string {
  if (passkeys === 0 && !hasGenerator) return 'nothing yet'
  const main = passkeys > 0 ? (passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`) : 'a code generator'
  return `${main}, ${counted(recoveryCodes, 'recovery code')} left`
}

function addForm({ form, problem }: ListView): Markup {
  return (
    <section class="sheet narrow">
      <h2>Add an operator</h2>
      <p>
        You get a link for them, good once and for an hour. With it they make a passkey; nobody has a password
        here.
      </p>
      <form method="post" action="/operators/add">
        {ticketField(form)}
        {field(
          {
            id: 'name',
            label: 'Name',
            hint: 'The audit log says it with everything they do.',
            error: problem?.error,
          },
          (ties) => (
            <input
              class="box"
              {...ties}
              name="name"
              value={problem?.name ?? ''}
              autocomplete="off"
              required
            />
          ),
        )}
        <fieldset class="plain-set">
          <legend class="label">Role</legend>
          <label class="choice">
            <input type="radio" name="role" value="look" checked />
            <span>Looks: sees everything, changes nothing</span>
          </label>
          <label class="choice">
            <input type="radio" name="role" value="act" />
            <span>Acts: changes everything</span>
          </label>
        </fieldset>
        <p>
          <button>Make the link</button>
        </p>
      </form>
    </section>
  )
}

function linkPage({ name, role }: { name: string; role: ListedOperator['role'] }, link: string): Page {
  return {
    title: 'The link',
    place: 'operators',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            The link for <bdi>{name}</bdi>
          </h1>
        </div>
        <section class="sheet">
          <p>
            <bdi>{name}</bdi> {ROLES[role]}. Give them this link, and nobody else: it lets in who opens it
            first, once, within an hour. It is shown now and never again.
          </p>
          <div class="code wrap">
            <pre id="link">{link}</pre>
            {copyButton('link', 'the link')}
          </div>
          <p>
            <a class="button second" href="/operators">
              Back to the operators
            </a>
          </p>
        </section>
      </>
    ),
  }
}

function confirmEndPage({ name, factors }: ListedOperator, { form, operator }: Visit): Page {
  const isMe = name === operator.name
  return {
    title: 'End an operator',
    place: 'operators',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            End <bdi>{name}</bdi>?
          </h1>
        </div>
        <section class="sheet narrow">
          <p>
            {isMe ? 'You are signed out now' : 'They are signed out now'}, everywhere, and{' '}
            {counted(factors.passkeys, 'passkey')}
            {factors.hasGenerator && ', the code generator'} and{' '}
            {counted(factors.recoveryCodes, 'recovery code')} are deleted. The audit log keeps what{' '}
            {isMe ? 'you' : 'they'} did. The name can be added again.
          </p>
          {isMe && (
            <div class="note warn">
              <p>This is you. Somebody else has to let you in again, or wigwag operator add.</p>
            </div>
          )}
          <form method="post" action="/operators/end">
            {ticketField(form)}
            <input type="hidden" name="name" value={name} />
            <p class="together">
              <button class="danger">End this operator</button>
              <a href="/operators">Leave it</a>
            </p>
          </form>
        </section>
      </>
    ),
  }
}
