import { countText, partsOf, segmentsOf } from '../../../kernel/text/segments.ts'
import { byId, setText } from '../../browser/page.ts'

/** The server's answer to an unfinished form. */
interface Answer {
  price?: { cost: string; left: string }
  /** Where the number is and what a segment costs there, or what is wrong with it. */
  place: string
  samples: { curl: string; typescript: string }
}

/** How long the form is left alone before the server is asked. */
const PAUSE_MS = 300

/** Counts a text while it is written, shows it on the phone, and asks for the price of a message. */
function startComposing(): void {
  const content = byId('Content')
  if (!(content instanceof HTMLTextAreaElement)) return
  const { form } = content
  if (!form) return
  const count = () => showCount(content.value)
  content.addEventListener('input', count)
  chooseZone()
  // Browsers keep what was typed over a reload.
  count()
  if (form.id !== 'compose') return
  form.addEventListener('input', () => showSender(form))
  askForPrice(form)
}

/** The time zone of the browser, where none was chosen before. */
function chooseZone(): void {
  const zone = byId('Zone')
  if (!(zone instanceof HTMLSelectElement) || zone.dataset.chosen !== undefined || zone.value !== 'UTC')
    return
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (![...zone.options].some(({ value }) => value === timeZone)) zone.add(new Option(timeZone))
  zone.value = timeZone
}

function showCount(content: string): void {
  const { segments, characters, encoding, cause } = countText(content)
  setText('count-segments', segments)
  setText('count-characters', characters)
  setText('count-encoding', encoding)
  const note = byId('cause')
  if (note) note.hidden = cause === undefined
  setText('cause-what', cause?.what ?? '')
  setText('cause-effect', cause?.effect ?? '')
  const bubble = document.querySelector('.bubble')
  bubble?.replaceChildren(...partsOf(content, segmentsOf(content).encoding).map(segmentOf))
}

/** The same as the page has without the script. */
function segmentOf(text: string, index: number): Node {
  if (index === 0) return document.createTextNode(text)
  const segment = document.createElement('span')
  segment.className = index % 2 === 1 ? 'segment tinted' : 'segment'
  const word = document.createElement('span')
  word.className = 'unseen'
  word.textContent = 'Segment '
  const number = document.createElement('sup')
  number.append(word, String(index + 1))
  segment.append(number, text)
  return segment
}

function showSender(form: HTMLFormElement): void {
  const from = new FormData(form).get('From')
  const shown = document.querySelector('.phone header bdi')
  if (shown && typeof from === 'string') shown.textContent = from
}

/** Asks the server after each pause. The old figure stays until the new one is there; a late answer is dropped. */
function askForPrice(form: HTMLFormElement): void {
  let timer: number | undefined
  let asked = 0
  const busy = (is: boolean) => byId('go')?.setAttribute('aria-busy', String(is))

  async function ask(): Promise<void> {
    const mine = ++asked
    const answer = await answerTo(form)
    if (mine !== asked) return
    busy(false)
    if (answer) show(answer)
  }

  form.addEventListener('input', () => {
    busy(true)
    clearTimeout(timer)
    timer = window.setTimeout(ask, PAUSE_MS)
  })
  ask()
}

/** Undefined when the server can't say: the button still works, and the page after it tells. */
async function answerTo(form: HTMLFormElement): Promise<Answer | undefined> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
  try {
    const response = await fetch('/send/estimate', { method: 'POST', body, redirect: 'error' })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

function show({ price, place, samples }: Answer): void {
  setText('cost', price ? ` for ${price.cost}` : '')
  setText('left', price?.left ?? '')
  if (byId('To-error')?.textContent !== place) setText('To-hint', place)
  setText('sample-curl', samples.curl)
  setText('sample-typescript', samples.typescript)
}

const EVERY_MS = 2_000

/** Reads the progress of a bulk again until it is done, while the page is seen. */
function startProgress(): void {
  if (byId('progress')?.dataset.again === undefined) return
  const timer = window.setInterval(async () => {
    if (document.hidden) return
    const fresh = await readAgain()
    const shown = byId('progress')
    if (!fresh || !shown) return
    replaceFigures(shown, fresh)
    if (fresh.dataset.again === undefined) clearInterval(timer)
  }, EVERY_MS)
}

async function readAgain(): Promise<HTMLElement | undefined> {
  try {
    const response = await fetch(location.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.getElementById('progress') ?? undefined
  } catch {
    return undefined
  }
}

/** All but the head: its link may have the focus. */
function replaceFigures(shown: HTMLElement, fresh: HTMLElement): void {
  const [, ...old] = shown.children
  const [, ...now] = fresh.children
  for (const part of old) part.remove()
  shown.append(...now)
}

/** Enhances the pages that send. Other pages need not load it. */
startComposing()
startProgress()
