import { type Micros, micros } from '@wigwag/contract'
import { segmentsInWords } from '../../../domain/text/text-count.ts'
import { countOf, several } from '../../../pages/count.ts'
import { countryName } from '../../../pages/widgets/country.ts'
import { amountOf } from '../../../pages/widgets/money.ts'
import { phone } from '../../../pages/widgets/phone.ts'
import type { FormTicket } from '../../../platform/pages/forms.ts'
import { ticketField } from '../../../platform/pages/layout.ts'
import { type Markup, markup } from '../../../platform/pages/markup.ts'
import { textArea } from '../field.ts'
import { type Refusal, refusalNote } from '../refusal.ts'
import type { Checked, Sample, Wrong } from './check.ts'
import { fieldsIn, type ManyTyped } from './form.ts'

export interface CheckView {
  form: FormTicket
  key: string
  typed: ManyTyped
  checked: Checked
  hasHeader: boolean
  currency: string
  available: Micros
  refusal: Refusal | undefined
  /** What the step before did with the list. */
  done: string | undefined
  /** How many of a list that goes in parts were accepted before the rest was refused. */
  accepted: number
  /** How many recipients go in one part. */
  mostInPart: number
}

/** Wrong lines and repeats that a page shows. */
const SHOWN = 100

/** A list that was looked through: what is wrong with it, or what it costs. */
export function checkPage(view: CheckView): Markup {
  const { checked, refusal, done, typed } = view
  const isWrong = checked.wrong.length > 0
  return markup`${refusal && refusalNote(refusal, {})}${done !== undefined && markup`<div class="note good" role="status"><p>${done}</p></div>`}
<form method="post" action="/send/many" enctype="multipart/form-data">${carried(view)}
${isWrong ? wrongLines(checked) : summary(view)}</form>
${checked.sample && onThePhone(checked.sample, typed)}`
}

/** A text as it arrives: the same for all, or that of one line. */
function onThePhone({ content, encoding, line }: Sample, { From, Content }: ManyTyped): Markup {
  const whose = fieldsIn(Content).length > 0 && line
  return markup`<section class="sheet" aria-label="On the phone">${whose && markup`<p class="soft">Line ${countOf(whose.line)}, to <bdi class="nums">${shortened(whose.to)}</bdi>:</p>`}${phone({ sender: From, time: 'now', content, encoding })}</section>`
}

/** What the next step needs: the form itself keeps it. */
function carried({ form, key, typed }: CheckView): Markup {
  return markup`${ticketField(form)}<input type="hidden" name="key" value="${key}"><input type="hidden" name="From" value="${typed.From}"><input type="hidden" name="CallbackUrl" value="${typed.CallbackUrl}">
${textArea(markup`hidden name="Content" aria-label="Text"`, typed.Content)}${textArea(markup`hidden name="list" aria-label="Recipients"`, typed.list)}`
}

const edit = markup`<button class="second" name="do" value="edit">Edit the list</button>`

function wrongLines({ lines, wrong }: Checked): Markup {
  const rows = wrong
    .slice(0, SHOWN)
    .map(
      ({ line, why, clean }) =>
        markup`<tr role="row"><td role="cell" class="num">${countOf(line.line)}</td><td role="cell" class="mono"><bdi>${shortened(line.to)}</bdi></td><td role="cell">${why}${clean !== undefined && markup` <span class="soft">Cleaned: ${clean}</span>`}</td></tr>`,
    )
  const more = wrong.length - rows.length
  return markup`<div class="sheet"><div class="note bad" role="alert"><p><span class="strong">Nothing was sent.</span> A list goes whole or not at all, and ${countOf(wrong.length)} of ${several(lines.length, 'line')} can’t be sent.</p></div>
<table class="field inside wrong-lines" role="table"><caption class="unseen">Lines that can’t be sent</caption><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="num">Line</th><th role="columnheader" scope="col">To</th><th role="columnheader" scope="col">What is wrong</th></tr></thead><tbody role="rowgroup">${rows}</tbody></table>
${more > 0 && markup`<p class="soft">And ${countOf(more)} more.</p>`}
<p class="together"><button name="do" value="mend">${mendWords(wrong)}</button>${edit}</p></div>`
}

/** `Clean line 118, leave out line 640`, or how many of each. */
export function mendWords(wrong: readonly Wrong[]): string {
  const cleaned = wrong.filter(({ clean }) => clean !== undefined)
  const leftOut = wrong.filter(({ clean }) => clean === undefined)
  const parts = [
    ...(cleaned.length > 0 ? [`clean ${linesInWords(cleaned)}`] : []),
    ...(leftOut.length > 0 ? [`leave out ${linesInWords(leftOut)}`] : []),
  ]
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function linesInWords(wrong: readonly Wrong[]): string {
  const [only] = wrong
  return only && wrong.length === 1 ? `line ${countOf(only.line.line)}` : several(wrong.length, 'line')
}

function summary(view: CheckView): Markup {
  const { checked, currency, available, hasHeader, accepted, mostInPart } = view
  const { lines, segments, segmentsEach, total, groups, repeated } = checked
  const price = `${currency} ${amountOf(total)}`
  const left = available - total
  const rows = groups.map(
    (group) =>
      markup`<tr><th scope="row">${group.network ?? 'Other networks'}<span class="network">${countryName(group.country)}</span></th><td class="num">${countOf(group.messages)}</td><td class="num roomy">${countOf(group.segments)}</td><td class="num roomy">${amountOf(group.unitPrice)}</td><td class="num">${amountOf(group.cost)}</td></tr>`,
  )
  const parts = Math.ceil(lines.length / mostInPart)
  return markup`<div class="sheet"><h2>${several(lines.length, 'message')}, ${segmentsEach === undefined ? segmentsInWords(segments) : `${segmentsInWords(segmentsEach)} each`}</h2>
${hasHeader && markup`<p class="soft">Line 1 names the columns; it is not sent to.</p>`}
<table class="field inside"><caption class="unseen">What it costs, by network</caption><thead><tr><th scope="col">Network</th><th scope="col" class="num">Messages</th><th scope="col" class="num roomy">Segments</th><th scope="col" class="num roomy">${currency} a segment</th><th scope="col" class="num">${currency}</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><th scope="row">Together</th><td class="num">${countOf(lines.length)}</td><td class="num roomy">${countOf(segments)}</td><td class="roomy"></td><td class="num">${amountOf(total)}</td></tr></tfoot></table>
${parts > 1 && markup`<p>It is sent in ${parts} parts of at most ${countOf(mostInPart)}, and each part goes whole or not at all.</p>`}
${accepted === 0 && repeated.length > 0 && repeats(repeated)}
${accepted > 0 ? restButton(view) : left < 0 ? missing(view) : markup`<p class="together"><button name="do" value="send">Send ${countOf(lines.length)} for ${price}</button>${edit}<span class="soft nums">Leaves ${currency} ${amountOf(left)}</span></p>`}</div>`
}

function repeats(repeated: readonly { line: number; to: string }[]): Markup {
  const listed = repeated.slice(0, 5).map(({ line, to }) => `${to} (line ${countOf(line)})`)
  const more = repeated.length - listed.length
  const [what, button] =
    repeated.length === 1
      ? ['1 line repeats a number', 'Leave out the repeat']
      : [`${countOf(repeated.length)} lines repeat a number`, `Leave out ${countOf(repeated.length)} repeats`]
  return markup`<div class="note warn"><p><span class="strong">${what}</span> that is in the list already: ${listed.join(', ')}${more > 0 && ` and ${countOf(more)} more`}. Each line is sent.</p><p><button class="second tiny" name="do" value="once">${button}</button></p></div>`
}

function missing({ checked, currency, available }: CheckView): Markup {
  return markup`<div class="note bad" role="alert"><p><span class="strong">It costs ${currency} ${amountOf(checked.total)} and the balance is ${currency} ${amountOf(available)}.</span> Nothing was sent. Ask the operator of this gateway to add money, or send to fewer people.</p></div><p class="together"><button name="do" value="check">Check again</button>${edit}</p>`
}

/** Posts the whole list again with its key: the parts that were accepted are not sent again. */
function restButton({ checked, accepted, key, currency }: CheckView): Markup {
  const rest = checked.lines.length - accepted
  const cost = micros(checked.prices.slice(accepted).reduce((sum, price) => sum + price, 0))
  return markup`<p class="together"><button name="do" value="send">Send the other ${countOf(rest)} for ${currency} ${amountOf(cost)}</button><a class="button second" href="/send/many/${key}">See the ${countOf(accepted)} that were sent</a></p>`
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
