import type { Micros } from '@wigwag/contract'
import { enteredRecipient } from '../../domain/entered.ts'
import { checkSender } from '../../domain/sender.ts'
import { checkContent } from '../../domain/text/segments.ts'
import { several } from '../../pages/count.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { type Entered, type Problems, readFields } from '../widgets/fields.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { amount, pathOf } from './words.ts'

export const TEST_FIELDS = ['number', 'from', 'text']

export interface EnteredTest {
  number: string
  from: string
  text: string
}

export function readTest(form: Pick<URLSearchParams, 'get'>): Entered<EnteredTest> {
  return readFields<EnteredTest>(form, {
    number: enteredRecipient,
    from: (text) => {
      checkSender(text.trim())
      return text.trim()
    },
    text: (text) => {
      checkContent(text)
      return text
    },
  })
}

export function testPage(carrier: string, typed: Problems, problems: Problems = {}): Page {
  const input = (name: string, label: string, hint: string, more: Markup) =>
    field(
      { id: name, label, hint, error: problems[name] },
      (ties) =>
        markup`<input class="box" ${ties} name="${name}" value="${typed[name] ?? ''}" autocomplete="off"${more} required>`,
    )
  return {
    title: 'Send a test',
    place: 'carriers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: markup`<div class="head"><h1>Send a test by <bdi>${carrier}</bdi></h1></div>
<section class="sheet narrow"><p>This sends one message over a separate connection. It belongs to no customer, so no wallet is charged, but the carrier bills it. The next page says what it would cost. Nothing is sent before that.</p>
<form method="get" action="${pathOf(carrier, '/test')}">
${input('number', 'Number', 'With its country code, such as +233 24 123 4567', markup` inputmode="tel"`)}
${input('from', 'Sender ID', 'One that the carrier takes', markup``)}
${field(
  { id: 'text', label: 'Text', error: problems.text },
  (ties) => markup`<textarea class="box" ${ties} name="text" rows="3" required>
${typed.text ?? ''}</textarea>`,
)}
${ending(markup`<button>Go on</button>`, pathOf(carrier))}</form></section>`,
  }
}

export interface TestView {
  carrier: string
  test: EnteredTest
  /** With which it is sent once. */
  trial: string
  /** What a part costs by its route, where that says it. */
  unit: Micros | undefined
  isPaused: boolean
}

export function confirmTestPage({ form }: Visit, { carrier, test, trial, unit, isPaused }: TestView): Page {
  const { segments } = checkContent(test.text)
  return {
    title: 'Send a test',
    place: 'carriers',
    middle: true,
    body: markup`<div class="head"><h1>Send 1 message by <bdi>${carrier}</bdi>?</h1></div>
<section class="sheet narrow"><dl class="facts"><div><dt>To</dt><dd class="mono">${test.number}</dd></div><div><dt>From</dt><dd><bdi>${test.from}</bdi></dd></div><div><dt>Text</dt><dd><bdi>${test.text}</bdi></dd></div><div><dt>Length</dt><dd>${several(segments, 'part')}</dd></div><div><dt>You pay</dt><dd>${unit === undefined ? 'its price: no route says what a part costs' : amount(unit * segments)}</dd></div></dl>
<p>It goes to a real phone if the carrier reaches one. Its receipt counts as an early one for an hour.${isPaused && ' The carrier is paused, which stops messages of customers and not this one.'}</p>
<form method="post" action="${pathOf(carrier, '/test')}">${hiddenFields(form, { ...test, trial })}${ending(markup`<button>Send it</button>`, pathOf(carrier))}</form></section>`,
  }
}

/** How a test ended. Looks again while it is under way. */
export function testedPage(carrier: string, result: string | undefined): Page {
  return {
    title: 'The test',
    place: 'carriers',
    middle: true,
    ...(result === undefined && { headers: { refresh: '2' } }),
    body: markup`<div class="head"><h1>${result === undefined ? 'It is under way' : 'The carrier answered'}</h1></div>
<section class="sheet narrow"><p class="strong"><bdi>${result ?? `It waits for a connection to ${carrier}, or for its answer.`}</bdi></p>${result === undefined && markup`<p>This page looks again every two seconds. A carrier may take a minute.</p>`}
<p class="together"><a class="button second" href="${pathOf(carrier)}">Back to <bdi>${carrier}</bdi></a></p></section>`,
  }
}
