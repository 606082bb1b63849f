import { STATUS_CODES } from 'node:http'
import type { Markup } from '../../net/pages/markup.ts'
import { duration } from '../times.tsx'
import { copyButton } from './code.tsx'

/** An attempt to post a callback, as it is stored. */
export interface Attempt {
  seq: number
  startedAt: number
  latencyMs: number
  httpStatus: number | null
  errorClass: string | null
  reply: string | null
}

/** Why an attempt got no answer, by its error class. */
const FAILURES: Readonly<Record<string, string>> = {
  invalid_url: 'not a URL that can be posted to',
  blocked_address: 'refused address',
  dns_failed: 'name not found',
  connect_failed: 'could not connect',
  tls_failed: 'no secure connection',
  timeout: 'no answer in time',
  connection_lost: 'connection lost',
  receiver_gone: 'not posted: 410 Gone lately',
}

/** An error class in words; one that is not known stays as it is. */
export function failureWords(errorClass: string): string {
  return FAILURES[errorClass] ?? errorClass
}

/** How an attempt ended, in words: `no answer in 15 s`, `could not connect`, `500 Internal Server Error`. */
export function answerWords({ httpStatus, errorClass, latencyMs }: Attempt): string {
  if (httpStatus !== null) return `${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`.trimEnd()
  if (errorClass === 'timeout') return `no answer in ${Math.round(latencyMs / 1_000)} s`
  return failureWords(errorClass ?? '')
}

/** The same for a row: the number of an answer set off, and red when it was none of success. */
export function answerCell(attempt: Attempt): Markup {
  const { httpStatus, errorClass } = attempt
  const tone = errorClass !== null && ' bad'
  if (httpStatus === null) return <span class="bad">{answerWords(attempt)}</span>
  return (
    <>
      <span class={`mono${tone || ''}`}>{httpStatus}</span> {STATUS_CODES[httpStatus] ?? ''}
    </>
  )
}

/** An answer and how long it took: `200 in 38 ms`. */
export function answerInShort(attempt: Attempt): string {
  const { httpStatus, errorClass, latencyMs } = attempt
  if (errorClass === 'timeout') return answerWords(attempt)
  return `${httpStatus ?? answerWords(attempt)} in ${duration(latencyMs)}`
}

/** The host and path of a callback's URL. The query is hidden: it may hold secrets. */
export function shownUrl(url: string): Markup {
  return <bdi>{withoutQuery(url)}</bdi>
}

/** The letters at the end of an address by which receivers differ. */
const TAIL = 14

/** The same in a row that may have no room for it: cut in the middle, with the end of the path in sight. */
export function cutUrl(url: string): Markup {
  const shown = withoutQuery(url)
  const letters = [...shown]
  if (letters.length <= 2 * TAIL) return <bdi>{shown}</bdi>
  return (
    <bdi class="cut-url" title={shown}>
      <span>{letters.slice(0, -TAIL).join('')}</span>
      <span>{letters.slice(-TAIL).join('')}</span>
    </bdi>
  )
}

/** The whole address of a callback, to copy where nothing of it is hidden. */
export function wholeUrl(url: string): Markup {
  const hides = URL.canParse(url) && new URL(url).search !== ''
  return (
    <>
      <span class="mono" id="callback-url">
        <bdi>{hides ? withoutQuery(url) : url}</bdi>
      </span>{' '}
      {!hides && copyButton('callback-url', 'the address')}
    </>
  )
}

function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname, search } = new URL(url)
  return `${host}${pathname}${search === '' ? '' : '?…'}`
}
