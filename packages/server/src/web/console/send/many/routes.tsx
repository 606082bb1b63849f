import { micros } from '@wigwag/contract'
import { operatorWords } from '../../../../kernel/operator-contact.ts'
import { goTo } from '../../../../net/pages/reply.ts'
import { countOf, several } from '../../../count.ts'
import type { Pages } from '../../frame/pages.tsx'
import type { Page, Visit } from '../../frame/visit.tsx'
import type { ConsoleParts } from '../../parts.ts'
import { firstSender, keyIn, noSender, scheduledPlace } from '../fields.tsx'
import { howMany } from '../page.tsx'
import { type Refusal, refusalOf, refusalWithFigures, spendable } from '../refusal.tsx'
import { bulkOf, type Checked, checkList, LARGEST_LIST_FORM, mended, once, tooLargeToPost } from './check.ts'
import { checkPage } from './check-page.tsx'
import { inCountry, type ReadLine } from './country.ts'
import { isGarbled, type List, readList, writeList } from './list.ts'
import { fieldsIn, type ListErrors, listForm, type ManyTyped, manyTypedIn, sharedOf } from './list-page.tsx'
import { noProgress, progressPage } from './progress-page.tsx'
import { mendWords } from './wrong-lines.tsx'

const NOTHING: ManyTyped = { From: '', Content: '', CallbackUrl: '', SendAt: '', Zone: '', list: '' }

interface Step {
  key: string
  typed: ManyTyped
  refusal?: Refusal
}

interface CheckedList {
  checked: Checked
  list: List
  /** Lines whose numbers were read as those of the account's country. */
  read: readonly ReadLine[]
  /** Words for the change just made to the list. */
  done?: string
  accepted?: number
}

/** Sending one text to a list: check, correct, send, and follow its progress. */
export function mountSendMany(pages: Pages, parts: ConsoleParts): void {
  const { database, clock } = parts
  const { forPages } = parts.sending

  pages.show('/send/many', 'send', async (visit) => fill(visit, { typed: NOTHING, key: forPages.newKey() }))

  pages.change('/send/many', { right: 'send', largest: LARGEST_LIST_FORM }, take)

  pages.show('/send/many/:key', 'send', async ({ c, principal }) => {
    const found = await forPages.progress(principal, c.req.param('key') ?? '')
    if (!found) return page({ body: noProgress, status: 404 })
    const { currency } = principal.wallet
    return page({ body: progressPage({ progress: found, currency, now: clock.now() }) })
  })

  async function take(visit: Visit, form: URLSearchParams): Promise<Page | Response> {
    const { file, ...typed } = manyTypedIn(form)
    const at = { typed, key: keyIn(form) ?? forPages.newKey() }
    const wanted = form.get('do')
    if (wanted === 'edit') return fill(visit, at)
    const list = await readList(typed.list, fieldsIn(typed.Content))
    const errors = listErrors(typed.list, list, file)
    if (errors) return fill(visit, at, errors)
    try {
      const result = await checkTyped(visit, at, list)
      if (wanted === 'mend') return await change(visit, at, result, mended(result.checked), mendedWords)
      if (wanted === 'once') return await change(visit, at, result, once(result.checked), onceWords)
      return wanted === 'send' ? await send(visit, at, result) : await show(visit, at, result)
    } catch (error) {
      return fill(visit, { ...at, refusal: refusalOf(error, parts) })
    }
  }

  async function checkTyped(
    { principal, person }: Visit,
    { typed }: Step,
    typedList: List,
  ): Promise<CheckedList> {
    const { list, read } = await inCountry(typedList, person.country)
    const checked = await checkList(forPages, principal, sharedOf(typed), list)
    return { checked, list, read }
  }

  async function change(
    visit: Visit,
    step: Step,
    { checked, list, read }: CheckedList,
    lines: List['lines'],
    words: (checked: Checked) => string,
  ): Promise<Page> {
    const typed = { ...step.typed, list: writeList(list, lines) }
    if (lines.length === 0) return fill(visit, { ...step, typed }, { list: NO_NUMBER })
    const result = await checkTyped(
      visit,
      { ...step, typed },
      await readList(typed.list, fieldsIn(typed.Content)),
    )
    return show(visit, { ...step, typed }, { ...result, read, done: words(checked) })
  }

  async function send(visit: Visit, step: Step, result: CheckedList): Promise<Page | Response> {
    const { checked, list, read } = result
    // Numbers that were read so are shown before anything goes to them.
    if (checked.wrong.length > 0 || read.length > 0) return show(visit, step, result)
    const { key, typed } = step
    try {
      const bulk = bulkOf(sharedOf(typed), list)
      const { accepted, refused } = await forPages.sendMany(visit.principal, bulk, key)
      const { SendAt } = bulk
      if (!refused) return goTo(SendAt === undefined ? `/send/many/${key}` : scheduledPlace(SendAt, typed))
      const refusal = await refusalOfSend(visit, refused.error, checked, accepted)
      return await show(visit, { ...step, refusal }, { ...result, accepted })
    } catch (error) {
      const refusal = await refusalOfSend(visit, error, checked, 0)
      // Some of another list went out with this key, and the list has changed since: show those first.
      if (refusal.keyIsUsed && (await forPages.progress(visit.principal, key)))
        return goTo(`/send/many/${key}`)
      return show(visit, { ...step, key: refusal.keyIsUsed ? forPages.newKey() : key, refusal }, result)
    }
  }

  async function refusalOfSend(
    { principal }: Visit,
    error: unknown,
    { prices }: Checked,
    accepted: number,
  ): Promise<Refusal> {
    const sent =
      accepted === 0 ? '' : `${countOf(accepted)} of ${several(prices.length, 'message')} were sent. `
    const refusal = await refusalWithFigures(error, parts, {
      advice: `Ask ${operatorWords(parts.operator)} to add money, or send to fewer people.`,
      figures: async () => ({
        cost: micros(prices.slice(accepted).reduce((sum, price) => sum + price, 0)),
        available: await spendable(database, principal),
        currency: principal.wallet.currency,
      }),
    })
    return began(sent, refusal)
  }

  async function show({ principal, person, form }: Visit, step: Step, result: CheckedList): Promise<Page> {
    const { key, refusal } = step
    const { checked, list, read, done, accepted = 0 } = result
    // The next step sends what is shown here, whatever becomes of the country meanwhile.
    const isRead = read.length > 0 && checked.wrong.length === 0
    const typed = isRead ? { ...step.typed, list: writeList(list, list.lines) } : step.typed
    const body = checkPage({
      operator: parts.operator,
      form,
      key,
      typed,
      checked,
      hasHeader: list.names.length > 0,
      read,
      country: person.country,
      currency: principal.wallet.currency,
      available: await spendable(database, principal),
      refusal,
      done,
      accepted,
      mostInPart: forPages.mostInPart,
    })
    return page({ body, status: refusal?.status ?? (checked.wrong.length > 0 ? 422 : 200) })
  }

  async function fill({ principal, form }: Visit, step: Step, errors: ListErrors = {}): Promise<Page> {
    const { senders } = principal
    const From = firstSender(senders, step.typed.From)
    if (From === undefined) return page({ body: noSender(senders) })
    const { typed, key, refusal } = step
    const body = listForm({ form, key, typed: { ...typed, From }, senders, refusal, errors })
    const isWrong = Object.keys(errors).length > 0
    return page({ body, status: refusal?.status ?? (isWrong ? 422 : 200) })
  }
}

const NO_NUMBER = 'Expected at least one number; got none.'

function listErrors(text: string, { lines }: List, file: string | undefined): ListErrors | undefined {
  if (file !== undefined) return { file }
  if (isGarbled(text))
    return { list: 'Expected text in UTF-8, got another encoding. Save the file as “CSV UTF-8”.' }
  if (lines.length === 0) return { list: NO_NUMBER }
  const tooLarge = tooLargeToPost(text)
  return tooLarge === undefined ? undefined : { list: tooLarge }
}

function mendedWords({ wrong }: Checked): string {
  return `Done: ${mendWords(wrong).toLowerCase()}.`
}

function onceWords({ repeated }: Checked): string {
  return `Left out ${several(repeated.length, 'repeat')}.`
}

function began(words: string, refusal: Refusal): Refusal {
  return { ...refusal, what: `${words}${refusal.what}` }
}

function page({ body, status = 200 }: Pick<Page, 'body' | 'status'>): Page {
  const title = status === 200 ? 'Send to many' : 'Error: Send to many'
  const head = (
    <>
      <div class="head">
        <h1>Send</h1>
      </div>
      {howMany('many')}
    </>
  )
  return {
    title,
    place: 'send',
    script: 'send',
    middle: true,
    status,
    body: (
      <>
        {head}
        {body}
      </>
    ),
  }
}
