import { operatorWords } from '../../../kernel/operator-contact.ts'
import { shown } from '../../../kernel/phone/national.ts'
import { plainNumber } from '../../../kernel/phone/phone.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { goTo } from '../../../net/pages/reply.ts'
import type { Pages } from '../frame/pages.tsx'
import { missingPage, type Page, unlessMissing, type Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { sampleAccount } from '../widgets/samples.ts'
import {
  firstSender,
  keyIn,
  messageOf,
  NOTHING,
  noSender,
  type Posted,
  scheduledPlace,
  type Typed,
  typedIn,
} from './fields.tsx'
import { mountSendMany } from './many/routes.tsx'
import { hintOf, howMany, type PriceWords, priceWords, samplesOf, sendPage } from './page.tsx'
import { type Refusal, refusalOf, refusalWithFigures, spendable } from './refusal.tsx'

/** Sending one message, and the price of it while it is written. */
export function mountSend(pages: Pages, parts: ConsoleParts): void {
  const { sending, history, database } = parts
  const { forPages } = sending

  pages.show('/send', 'send', async (visit) => {
    const typed = await beginning(visit)
    if (!typed) return missingPage({ what: 'message', place: 'send' })
    return compose(visit, { typed, key: forPages.newKey() })
  })

  pages.change('/send', { right: 'send' }, async (visit, form) => {
    const typed = typedIn(form, visit.person.country)
    const key = keyIn(form) ?? forPages.newKey()
    const { principal } = visit
    try {
      const message = messageOf(typed)
      if (form.get('do') === 'price') {
        await forPages.estimate(principal, message)
        return await compose(visit, { typed, key })
      }
      // A number that was read so is shown before anything goes to it.
      if (typed.written !== undefined) return await compose(visit, { typed, key })
      const ticket = await forPages.send(principal, message, key)
      const { SendAt } = message
      return goTo(SendAt === undefined ? `/messages/${ticket}` : scheduledPlace(SendAt, typed))
    } catch (error) {
      const refusal = await refused(principal, typed, error)
      return compose(visit, { typed, key: refusal.keyIsUsed ? forPages.newKey() : key, refusal })
    }
  })

  pages.change('/send/estimate', { right: 'send' }, async ({ principal, person }, form) => {
    const typed = typedIn(form, person.country)
    const { price, problem } = await priceOf(principal, typed)
    const account = await sampleAccount(person, parts)
    const samples = samplesOf(account, typed, keyIn(form) ?? forPages.newKey())
    const place = price?.place ?? problem ?? hintOf(person.country)
    return json({
      price,
      place: typed.written === undefined ? place : `${shown(typed.To)}: ${place}`,
      samples,
    })
  })

  mountSendMany(pages, parts)

  /** Fields that the form begins with: empty, a number, or those of an earlier message. */
  async function beginning({ c, principal }: Visit): Promise<Typed | undefined> {
    const again = c.req.query('again')
    if (again === undefined) return { ...NOTHING, To: plainNumber(c.req.query('to') ?? '') }
    const message = await unlessMissing(history.queries.walletMessage(principal, again))
    if (!message) return undefined
    const { sender, recipient, content, reference, callbackUrl } = message
    return {
      From: sender,
      To: recipient,
      Content: content,
      Reference: reference,
      CallbackUrl: callbackUrl ?? '',
      SendAt: '',
      Zone: '',
    }
  }

  async function compose(
    { principal, person, form }: Visit,
    { typed, key, refusal }: { typed: Typed & Partial<Posted>; key: string; refusal?: Refusal },
  ): Promise<Page> {
    const { senders } = principal
    const From = firstSender(senders, typed.From)
    const title = refusal ? 'Error: Send' : 'Send'
    if (From === undefined) {
      const body = (
        <>
          <div class="head">
            <h1>Send</h1>
          </div>
          {howMany('one')}
          {noSender(senders)}
        </>
      )
      return { title, place: 'send', script: 'send', middle: true, body }
    }
    const typedNow = { ...typed, From }
    const { price } = await priceOf(principal, typedNow)
    const samples = samplesOf(await sampleAccount(person, parts), typedNow, key)
    const { country } = person
    const body = sendPage({ form, key, typed: typedNow, senders, price, refusal, samples, country })
    return { title, place: 'send', script: 'send', middle: true, status: refusal?.status ?? 200, body }
  }

  /** The price, from the function that charges, or what is wrong with the number; neither while something is missing. */
  async function priceOf(
    principal: WalletPrincipal,
    { From, To, Content, wrong }: Typed & Partial<Posted>,
  ): Promise<{ price?: PriceWords; problem?: string }> {
    if (wrong !== undefined) return { problem: wrong }
    if (To === '' || Content === '') return {}
    try {
      const estimated = await forPages.estimate(principal, { From, To, Content })
      return { price: priceWords(estimated, await spendable(database, principal)) }
    } catch (error) {
      const { fields } = refusalOf(error, parts)
      return fields.To === undefined ? {} : { problem: fields.To }
    }
  }

  function refused(principal: WalletPrincipal, typed: Typed, error: unknown): Promise<Refusal> {
    return refusalWithFigures(error, parts, {
      advice: `Ask ${operatorWords(parts.operator)} to add money.`,
      async figures() {
        const { price: cost, currency } = await forPages.estimate(principal, messageOf(typed))
        return { cost, available: await spendable(database, principal), currency }
      },
    })
  }
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}
