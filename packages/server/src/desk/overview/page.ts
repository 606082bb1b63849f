import { span } from '@wigwag/contract'
import { countOf } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { carriersSection } from './carriers.ts'
import { type Trouble, troublesOf } from './findings.ts'
import { hoursSection } from './hours.ts'
import type { Overview } from './read.ts'
import { upTo } from './up-to.ts'

/** What is kept up to date: the same for every operator. */
export function overviewPart(overview: Overview): Markup {
  const troubles = troublesOf(overview)
  const [worst] = troubles
  return markup`${worst ? headline(worst) : allIsWell}
${troubles.length > 1 && markup`<section class="sheet" aria-label="Also"><ul class="findings">${troubles.slice(1).map(troubleItem)}</ul></section>`}
${hoursSection(overview)}
${carriersSection(overview)}
<div class="grid">${waitsSection(overview)}${gatewaysSection(overview)}${databaseSection(overview)}</div>`
}

const allIsWell = markup`<section class="sheet"><p class="well state good">${icon('disc')}All is well.</p></section>`

function headline({ state, text, link }: Trouble): Markup {
  const tone = state === 'fail' ? 'bad' : 'wait'
  return markup`<section class="sheet"><p class="well ${tone}">${text}</p>${link && markup`<p><a href="${link.href}">See ${link.text}</a></p>`}</section>`
}

function troubleItem({ state, text, link }: Trouble): Markup {
  const [tone, drawing, word] =
    state === 'fail' ? (['bad', 'octagon', 'Failed'] as const) : (['wait', 'triangle', 'Warning'] as const)
  return markup`<li><span class="state ${tone}">${icon(drawing)}<span class="unseen">${word}: </span></span><span>${text}${link && markup` <a href="${link.href}">See ${link.text}</a>`}</span></li>`
}

function waitsSection({ waits, carriers, setAside, dead, low }: Overview): Markup {
  const uncertain = carriers.messages.reduce((sum, each) => sum + each.uncertain, 0)
  const rows: [string, number, boolean, string?][] = [
    ['Messages for a carrier', waits.dispatch, false, '/messages/waiting'],
    ['Messages for a receipt', waits.await, false, '/messages/waiting'],
    ['Messages for their time', waits.scheduled, false],
    ['Callbacks to be posted', waits.callback, false],
    ['Uncertain: a carrier never answered', uncertain, true, '/messages/uncertain'],
    ['Set aside: keeps failing', setAside, true, '/messages/set-aside'],
    ['Callbacks given up', dead, true, '/messages/callbacks'],
    ['Wallets that run low', low, true, '/customers?low=yes'],
  ]
  return markup`<section class="sheet flush" id="waits"><table><caption class="unseen">What waits</caption><thead><tr><th scope="col">What waits</th><th scope="col" class="num">Number</th></tr></thead><tbody>${rows.map(
    ([name, count, isTrouble, href]) =>
      markup`<tr><th scope="row" class="plain">${href === undefined ? name : markup`<a href="${href}">${name}</a>`}</th><td class="num${isTrouble && count > 0 && ' bad strong'}">${upTo(count)}</td></tr>`,
  )}</tbody></table></section>`
}

function gatewaysSection({ carriers: { reports }, now }: Overview): Markup {
  if (reports.length === 0)
    return markup`<section class="sheet"><h2>Gateways</h2><p>No gateway has reported within the last half minute.</p></section>`
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Gateways"><table><caption class="unseen">Gateways</caption><thead><tr><th scope="col">Gateway</th><th scope="col">Version</th><th scope="col" class="num">Runs for</th></tr></thead><tbody>${reports.map(
    ({ name, version, startedAt }) =>
      markup`<tr><th scope="row" class="plain">${name}</th><td>${version}</td><td class="num">${span(now - startedAt)}</td></tr>`,
  )}</tbody></table></section>`
}

const MIB = 2 ** 20

function databaseSection({ size, now }: Overview): Markup {
  const mib = (bytes: number) => `${countOf(Math.round((10 * bytes) / MIB) / 10)} MiB`
  return markup`<section class="sheet"><h2>Database</h2><dl class="facts"><div><dt>Size</dt><dd>${mib(size.data)}</dd></div>${
    size.log !== undefined && markup`<div><dt>Log</dt><dd>${mib(size.log)}</dd></div>`
  }<div><dt>Read at</dt><dd>${listTime(Math.floor(now / 60_000) * 60_000, now)}</dd></div></dl><p class="soft small">wigwag doctor checks the ledger and every secret too, which takes longer.</p></section>`
}
