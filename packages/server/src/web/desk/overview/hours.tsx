import { HOUR_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, upTo } from '../../count.ts'
import { hoursChart, mostInOne } from '../deliveries/chart.tsx'
import { HOURS, type Overview } from './read.ts'

/** Messages accepted in the last hours, and how they ended. */
export function hoursSection({ hours, told, now }: Overview): Markup {
  const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS
  const since = thisHour - HOUR_MS
  const recent = { sent: 0, delivered: 0, failed: 0 }
  for (const { hour, sent, delivered, failed } of hours) {
    if (hour < since) continue
    recent.sent += sent
    recent.delivered += delivered
    recent.failed += failed
  }
  const open = recent.sent - recent.delivered - recent.failed
  const clock = new Date(since).toISOString().slice(11, 16)
  return (
    <section class="sheet">
      <h2>Since {clock}</h2>
      <dl class="figures">
        <div>
          <dt>Accepted</dt>
          <dd>{countOf(recent.sent)}</dd>
        </div>
        <div>
          <dt>Delivered</dt>
          <dd>{countOf(recent.delivered)}</dd>
        </div>
        <div>
          <dt>Not delivered</dt>
          <dd>{countOf(recent.failed)}</dd>
        </div>
        <div>
          <dt>Under way</dt>
          <dd>{countOf(open)}</dd>
        </div>
        <div>
          <dt>Customers told</dt>
          <dd>
            {upTo(told.delivered)}
            <small>
              callbacks of the last 60 minutes; {upTo(told.pending)} on their way, {upTo(told.dead)} given up
            </small>
          </dd>
        </div>
      </dl>
      {pictureOf({ hours, now })}
      <p class="legend soft small">
        <span class="key">Delivered</span>
        <span class="key failed">Not delivered</span>
        <span class="key open">Under way</span>
        <span class="end">Messages of the last {HOURS} hours, by the hour in which they were accepted</span>
      </p>
    </section>
  )
}

function pictureOf({ hours, now }: Pick<Overview, 'hours' | 'now'>): Markup {
  const bars = hours.map(({ hour, sent, delivered, failed }) => ({
    hour,
    delivered,
    failed,
    open: sent - delivered - failed,
  }))
  const sum = hours.reduce((total, { sent }) => total + sent, 0)
  const label = `${countOf(sum)} messages in the last ${HOURS} hours, at most ${countOf(mostInOne(bars))} in one of them`
  return hoursChart(bars, { hours: HOURS, now, label })
}
