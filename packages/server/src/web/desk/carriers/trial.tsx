import { randomBytes } from 'node:crypto'
import type { Micros } from '@wigwag/contract'
import { outcomeInWords, partCost } from '../../../delivery/index.ts'
import { checkSender } from '../../../kernel/sent-fields.ts'
import { enteredRecipient } from '../../../kernel/text/entered.ts'
import { checkContent } from '../../../kernel/text/segments.ts'
import { field } from '../../../net/pages/forms.tsx'
import { goTo } from '../../../net/pages/reply.ts'
import { several } from '../../count.ts'
import {
  type Entered,
  ending,
  hiddenFields,
  type Problems,
  readFields,
  textBoxes,
  typedIn,
} from '../frame/form.tsx'
import { overOrLate, type Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, refusal, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { amount, noCarrier, onCarrier, pathOf } from './carrier.tsx'

/** One message of a test by a carrier, over a connection of its own. */
export function mountTest(pages: Pages, parts: DeskParts): void {
  const { workOf, carrierFor } = parts
  const trials = new Trials(parts)

  pages.show(
    '/carriers/:name/test',
    ACT,
    onCarrier(parts, async ({ name, paused }, { inForce: { plan } }, visit) => {
      const query = new URL(visit.c.req.url).searchParams
      const trial = query.get('trial')
      if (trial !== null) {
        const begun = trials.of(trial)
        return begun ? testedPage(name, begun.result) : tooLate(name)
      }
      const typed = typedIn(query, TEST_FIELDS)
      if (!query.has('number')) return testPage(name, typed)
      const read = readTest(query)
      if ('problems' in read) return testPage(name, typed, read.problems)
      const { number: recipient, from: sender } = read.values
      return confirmTestPage(visit, {
        carrier: name,
        test: read.values,
        trial: trials.offer(),
        isPaused: paused !== undefined,
        unit: partCost(plan, { recipient, sender, accountId: '' }, name),
      })
    }),
  )
  pages.change(
    '/carriers/:name/test',
    PROVEN,
    onCarrier(parts, async ({ name }, { inForce: { plan } }, visit, form: URLSearchParams) => {
      const read = readTest(form)
      if ('problems' in read) return testPage(name, typedIn(form, TEST_FIELDS), read.problems)
      const settings = plan.carriers.get(name)
      if (!settings) return noCarrier()
      const { number: recipient, from: sender, text: content } = read.values
      const { carriers } = workOf(visit.acting)
      const trial = form.get('trial') ?? ''
      const isOffered = await trials.begin(trial, async () =>
        outcomeInWords(name, await carriers.trial(carrierFor(settings), { recipient, sender, content })),
      )
      return isOffered ? goTo(pathOf(name, `/test?trial=${encodeURIComponent(trial)}`)) : tooLate(name)
    }),
  )
}

function tooLate(carrier: string): Page {
  return refusal(409, {
    title: 'This test is not known any more',
    text: 'It was offered by another gateway, or before this one started. Nothing was sent now. The audit log has what was sent before.',
    link: { href: pathOf(carrier, '/test'), text: 'Make another test' },
  })
}

/** More are open at a time than people have pages; the oldest make room. */
const MOST = 500

interface Trial {
  over: Promise<void> | undefined
  result: string | undefined
}

/** The test messages of this process. One is offered with its page, and sent once however often it is pressed. */
class Trials {
  readonly #clock: DeskParts['clock']
  readonly #all = new Map<string, Trial>()

  constructor({ clock }: Pick<DeskParts, 'clock'>) {
    this.#clock = clock
  }

  /** Returns an id, with which one may begin. */
  offer(): string {
    const id = randomBytes(16).toString('base64url')
    const [oldest] = this.#all.keys()
    if (oldest !== undefined && this.#all.size >= MOST) this.#all.delete(oldest)
    this.#all.set(id, { over: undefined, result: undefined })
    return id
  }

  /**
   * Begins one that was offered, unless it has begun. Resolves when it is over, or after a while. False for one that was
   * never offered here, or too long ago.
   */
  async begin(id: string, send: () => Promise<string>): Promise<boolean> {
    const trial = this.#all.get(id)
    if (!trial) return false
    trial.over ??= send().then(
      (result) => {
        trial.result = result
      },
      (error: unknown) => {
        trial.result = `It was not sent: ${error instanceof Error ? error.message : error}.`
      },
    )
    await overOrLate(trial.over, this.#clock)
    return true
  }

  /** The result of a test that has begun, as a sentence; undefined while it is under way. */
  of(id: string): { result: string | undefined } | undefined {
    const trial = this.#all.get(id)
    return trial?.over && { result: trial.result }
  }
}

const TEST_FIELDS = ['number', 'from', 'text']

interface EnteredTest {
  number: string
  from: string
  text: string
}

function readTest(form: Pick<URLSearchParams, 'get'>): Entered<EnteredTest> {
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

function testPage(carrier: string, typed: Problems, problems: Problems = {}): Page {
  const input = textBoxes(typed, problems, { required: true })
  return {
    title: 'Send a test',
    place: 'carriers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            Send a test by <bdi>{carrier}</bdi>
          </h1>
        </div>
        <section class="sheet narrow">
          <p>
            This sends one message over a separate connection. It belongs to no customer, so no wallet is
            charged, but the carrier bills it. The next page says what it would cost. Nothing is sent before
            that.
          </p>
          <form method="get" action={pathOf(carrier, '/test')}>
            {input('number', 'Number', 'With its country code, such as +233 24 123 4567', {
              inputmode: 'tel',
            })}
            {input('from', 'Sender ID', 'One that the carrier takes')}
            {field({ id: 'text', label: 'Text', error: problems.text }, (ties) => (
              <textarea
                class="box"
                {...ties}
                name="text"
                rows={3}
                required
              >{`\n${typed.text ?? ''}`}</textarea>
            ))}
            {ending(<button>Go on</button>, pathOf(carrier))}
          </form>
        </section>
      </>
    ),
  }
}

interface TestView {
  carrier: string
  test: EnteredTest
  /** The id with which it is sent once. */
  trial: string
  /** The price of a part by its route; undefined when no route says it. */
  unit: Micros | undefined
  isPaused: boolean
}

function confirmTestPage({ form }: Visit, { carrier, test, trial, unit, isPaused }: TestView): Page {
  const { segments } = checkContent(test.text)
  return {
    title: 'Send a test',
    place: 'carriers',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            Send 1 message by <bdi>{carrier}</bdi>?
          </h1>
        </div>
        <section class="sheet narrow">
          <dl class="facts">
            <div>
              <dt>To</dt>
              <dd class="mono">{test.number}</dd>
            </div>
            <div>
              <dt>From</dt>
              <dd>
                <bdi>{test.from}</bdi>
              </dd>
            </div>
            <div>
              <dt>Text</dt>
              <dd>
                <bdi>{test.text}</bdi>
              </dd>
            </div>
            <div>
              <dt>Length</dt>
              <dd>{several(segments, 'part')}</dd>
            </div>
            <div>
              <dt>You pay</dt>
              <dd>
                {unit === undefined ? 'its price: no route says what a part costs' : amount(unit * segments)}
              </dd>
            </div>
          </dl>
          <p>
            It goes to a real phone if the carrier reaches one. Its receipt counts as an early one for an
            hour.{isPaused && ' The carrier is paused, which stops messages of customers and not this one.'}
          </p>
          <form method="post" action={pathOf(carrier, '/test')}>
            {hiddenFields(form, { ...test, trial })}
            {ending(<button>Send it</button>, pathOf(carrier))}
          </form>
        </section>
      </>
    ),
  }
}

/** How a test ended. Looks again while it is under way. */
function testedPage(carrier: string, result: string | undefined): Page {
  return {
    title: 'The test',
    place: 'carriers',
    middle: true,
    ...(result === undefined && { headers: { refresh: '2' } }),
    body: (
      <>
        <div class="head">
          <h1>{result === undefined ? 'It is under way' : 'The carrier answered'}</h1>
        </div>
        <section class="sheet narrow">
          <p class="strong">
            <bdi>{result ?? `It waits for a connection to ${carrier}, or for its answer.`}</bdi>
          </p>
          {result === undefined && (
            <p>This page looks again every two seconds. A carrier may take a minute.</p>
          )}
          <p class="together">
            <a class="button second" href={pathOf(carrier)}>
              Back to <bdi>{carrier}</bdi>
            </a>
          </p>
        </section>
      </>
    ),
  }
}
