import { type Micros, micros } from '@wigwag/contract'
import type { OperatorContact } from '../../../../kernel/operator-contact.ts'
import { shown } from '../../../../kernel/phone/national.ts'
import { segmentsInWords } from '../../../../kernel/text/segments.ts'
import { inZoneAndUtc } from '../../../../kernel/time/zones.ts'
import type { FormTicket } from '../../../../net/pages/forms.tsx'
import { ticketField } from '../../../../net/pages/layout.tsx'
import type { Markup } from '../../../../net/pages/markup.ts'
import { theOperator } from '../../../../net/pages/operator.tsx'
import { countOf, several } from '../../../count.ts'
import { amountOf, money } from '../../../widgets/money.tsx'
import { countryName, phone } from '../../../widgets/phone.tsx'
import { num, tableHead } from '../../../widgets/table.tsx'
import { sendAtOf, textArea } from '../fields.tsx'
import { type Refusal, refusalNote } from '../refusal.tsx'
import type { Checked, Sample } from './check.ts'
import type { ReadLine } from './country.ts'
import { fieldsIn, type ManyTyped } from './list-page.tsx'
import { edit, shortened, wrongLines } from './wrong-lines.tsx'

interface CheckView {
  operator: OperatorContact
  form: FormTicket
  key: string
  typed: ManyTyped
  checked: Checked
  hasHeader: boolean
  read: readonly ReadLine[]
  country: string
  currency: string
  available: Micros
  refusal: Refusal | undefined
  /** Words for the change just made to the list. */
  done: string | undefined
  /** How many of a list that goes in parts were accepted before the rest was refused. */
  accepted: number
  /** How many recipients go in one part. */
  mostInPart: number
}

/** A list that was looked through: what is wrong with it, or what it costs. */
export function checkPage(view: CheckView): Markup {
  const { checked, refusal, done, typed } = view
  const isWrong = checked.wrong.length > 0
  return (
    <>
      {refusal && refusalNote(refusal, {})}
      {done !== undefined && (
        <div class="note good" role="status">
          <p>{done}</p>
        </div>
      )}
      <form method="post" action="/send/many" enctype="multipart/form-data">
        {carried(view)}
        {isWrong ? wrongLines(checked) : summary(view)}
      </form>
      {checked.sample && onThePhone(checked.sample, typed)}
    </>
  )
}

/** A text as it arrives: the same for all, or that of one line. */
function onThePhone({ content, encoding, line }: Sample, { From, Content }: ManyTyped): Markup {
  const whose = fieldsIn(Content).length > 0 && line
  return (
    <section class="sheet" aria-label="On the phone">
      {whose && (
        <p class="soft">
          Line {countOf(whose.line)}, to <bdi class="nums">{shortened(whose.to)}</bdi>:
        </p>
      )}
      {phone({ sender: From, time: 'now', content, encoding })}
    </section>
  )
}

/** Hidden fields for the next step: the server keeps nothing. */
function carried({ form, key, typed }: CheckView): Markup {
  return (
    <>
      {ticketField(form)}
      <input type="hidden" name="key" value={key} />
      <input type="hidden" name="From" value={typed.From} />
      <input type="hidden" name="CallbackUrl" value={typed.CallbackUrl} />
      <input type="hidden" name="SendAt" value={typed.SendAt} />
      <input type="hidden" name="Zone" value={typed.Zone} />
      {textArea({ hidden: true, name: 'Content', 'aria-label': 'Text' }, typed.Content)}
      {textArea({ hidden: true, name: 'list', 'aria-label': 'Recipients' }, typed.list)}
    </>
  )
}

function summary(view: CheckView): Markup {
  const { checked, currency, available, hasHeader, accepted, mostInPart, typed } = view
  const { SendAt } = sendAtOf(typed)
  const { read, country } = view
  const { lines, segments, segmentsEach, total, groups, repeated } = checked
  const price = money(total, currency)
  const left = available - total
  const rows = groups.map((group) => (
    <tr>
      <th scope="row">
        {group.network ?? 'Other networks'}
        <span class="network">{countryName(group.country)}</span>
      </th>
      <td class="num">{countOf(group.messages)}</td>
      <td class="num roomy">{countOf(group.segments)}</td>
      <td class="num roomy">{amountOf(group.unitPrice)}</td>
      <td class="num">{amountOf(group.cost)}</td>
    </tr>
  ))
  const parts = Math.ceil(lines.length / mostInPart)
  return (
    <div class="sheet">
      <h2>
        {several(lines.length, 'message')},{' '}
        {segmentsEach === undefined ? segmentsInWords(segments) : `${segmentsInWords(segmentsEach)} each`}
      </h2>
      {SendAt !== undefined && (
        <p>
          <span class="strong">Not now:</span> at {inZoneAndUtc(Date.parse(SendAt), typed.Zone || 'UTC')}.
        </p>
      )}
      {hasHeader && <p class="soft">Line 1 names the columns; it is not sent to.</p>}
      <table class="field inside">
        <caption class="unseen">What it costs, by network</caption>
        {tableHead(
          'Network',
          num('Messages'),
          num('Segments', 'roomy'),
          num(`${currency} a segment`, 'roomy'),
          num(currency),
        )}
        <tbody>{rows}</tbody>
        <tfoot>
          <tr>
            <th scope="row">Together</th>
            <td class="num">{countOf(lines.length)}</td>
            <td class="num roomy">{countOf(segments)}</td>
            <td class="roomy" />
            <td class="num">{amountOf(total)}</td>
          </tr>
        </tfoot>
      </table>
      {read.length > 0 && readNote(read, country)}
      {parts > 1 && (
        <p>
          It is sent in {parts} parts of at most {countOf(mostInPart)}, and each part goes whole or not at
          all.
        </p>
      )}
      {accepted === 0 && repeated.length > 0 && repeats(repeated)}
      {accepted > 0 ? (
        restButton(view)
      ) : left < 0 ? (
        missing(view)
      ) : (
        <p class="together">
          <button name="do" value="send">
            {SendAt === undefined ? 'Send' : 'Schedule'} {countOf(lines.length)} for {price}
          </button>
          {edit}
          <span class="soft nums">Leaves {money(left, currency)}</span>
        </p>
      )}
    </div>
  )
}

/** Numbers without a country code, as they will be sent to. */
function readNote(read: readonly ReadLine[], country: string): Markup {
  const listed = read.slice(0, 20)
  const more = read.length - listed.length
  return (
    <div class="note warn">
      <p>
        <span class="strong">
          {several(read.length, 'number')} had no country code, and{' '}
          {read.length === 1 ? 'was read as one' : 'were read as numbers'} of {countryName(country)}.
        </span>{' '}
        See that they are right before you send.
      </p>
      <ul>
        {listed.map(({ line, written }) => (
          <li class="nums">
            Line {countOf(line.line)}: <bdi>{shortened(written)}</bdi> is {shown(line.to)}
          </li>
        ))}
        {more > 0 && <li>And {countOf(more)} more.</li>}
      </ul>
    </div>
  )
}

function repeats(repeated: readonly { line: number; to: string }[]): Markup {
  const listed = repeated.slice(0, 5).map(({ line, to }) => `${to} (line ${countOf(line)})`)
  const more = repeated.length - listed.length
  const [what, button] =
    repeated.length === 1
      ? ['1 line repeats a number', 'Leave out the repeat']
      : [`${countOf(repeated.length)} lines repeat a number`, `Leave out ${countOf(repeated.length)} repeats`]
  return (
    <div class="note warn">
      <p>
        <span class="strong">{what}</span> that is in the list already: {listed.join(', ')}
        {more > 0 && ` and ${countOf(more)} more`}. Each line is sent.
      </p>
      <p>
        <button class="second tiny" name="do" value="once">
          {button}
        </button>
      </p>
    </div>
  )
}

function missing({ checked, currency, available, operator }: CheckView): Markup {
  return (
    <>
      <div class="note bad" role="alert">
        <p>
          <span class="strong">
            It costs {money(checked.total, currency)} and the balance is {money(available, currency)}.
          </span>{' '}
          Nothing was sent. Ask {theOperator(operator)} to add money, or send to fewer people.
        </p>
      </div>
      <p class="together">
        <button name="do" value="check">
          Check again
        </button>
        {edit}
      </p>
    </>
  )
}

/** Posts the whole list again with its key: the parts that were accepted are not sent again. */
function restButton({ checked, accepted, key, currency }: CheckView): Markup {
  const rest = checked.lines.length - accepted
  const cost = micros(checked.prices.slice(accepted).reduce((sum, price) => sum + price, 0))
  return (
    <p class="together">
      <button name="do" value="send">
        Send the other {countOf(rest)} for {money(cost, currency)}
      </button>
      <a class="button second" href={`/send/many/${key}`}>
        See the {countOf(accepted)} that were sent
      </a>
    </p>
  )
}
