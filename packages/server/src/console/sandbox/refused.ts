import type { EpochMs } from '../../domain/ids.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { RefusedRequest } from '../../sandbox/index.ts'
import type { SandboxView } from './view.ts'

const IN_DRAWER = 3

/** The newest refused requests, for the drawer. */
export function refusedBriefly({ refused, now }: SandboxView): Markup {
  const some = refused.slice(0, IN_DRAWER)
  return markup`<section><h3>Requests that were refused${some.length > 0 && markup` <span class="soft">last ${some.length}</span>`}</h3>
${
  some.length === 0
    ? markup`<p class="soft small">None since the start.</p>`
    : markup`<ul class="mono refusals">${some.map(
        ({ at, status, code }) =>
          markup`<li>${listTime(at, now)} <span class="bad">${status}</span> ${code}</li>`,
      )}</ul><p><a class="small" href="/sandbox#refused">All, with their reasons</a></p>`
}</section>`
}

/** All of them, for the page. */
export function refusedTable({ refused, now }: SandboxView): Markup {
  if (refused.length === 0)
    return markup`<section id="refused"><h2>Requests that were refused</h2><p class="soft">None since the gateway started.</p></section>`
  return markup`<section id="refused"><h2>Requests that were refused</h2><p class="soft small">The newest 200 since the gateway started, without what they contained.</p>
<div class="sheet flush"><table class="list cards refused" role="table"><caption class="unseen">Refused requests, newest first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w-time num">Time, UTC</th><th role="columnheader" scope="col" class="w-number">Status</th><th role="columnheader" scope="col">Code and reason</th><th role="columnheader" scope="col" class="wide">Request</th></tr></thead>
<tbody role="rowgroup">${refused.map((request) => row(request, now))}</tbody></table></div></section>`
}

function row({ at, status, code, detail, method, path, requestId }: RefusedRequest, now: EpochMs): Markup {
  return markup`<tr role="row"><td role="cell" class="num cell-time">${listTime(at, now)}</td><td role="cell" class="cell-state"><span class="bad">${status}</span></td><td role="cell" class="cell-text"><code>${code}</code> <span class="soft" dir="auto">${detail}</span></td><td role="cell" class="wide" title="${requestId}"><code>${method} ${path}</code></td></tr>`
}
