import type { Markup } from '../../../net/pages/markup.ts'
import { dayOf, duration } from '../../times.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { faultsSection } from './faults.tsx'
import { controlForm, heading, type SandboxView } from './view.tsx'

/** The controls without the refused requests, which the drawer and the page show differently. */
export function controls(view: SandboxView, refused?: Markup): Markup {
  return (
    <>
      {clockSection(view)}
      {waitingSection(view)}
      {faultsSection(view)}
      {refused}
      {sendersSection(view)}
      {moneySection(view)}
      {startOverSection(view)}
    </>
  )
}

function clockSection(view: SandboxView): Markup {
  const { now, ahead, nextScheduled } = view
  const at = new Date(now).toISOString()
  const off = ahead === 0 ? 'real time' : `${duration(ahead)} ahead`
  const next = nextScheduled === undefined
  return (
    <section>
      {heading(view, <>Clock</>)}
      <p class="nums">
        <time datetime={at}>
          {dayOf(now)}, {at.slice(11, 19)} UTC
        </time>{' '}
        <span class="soft">({off})</span>
      </p>
      {controlForm(
        view,
        'clock',
        <p class="together">
          <button class="second tiny" name="by" value="1m">
            +1 minute
          </button>
          <button class="second tiny" name="by" value="1h">
            +1 hour
          </button>
          <button class="second tiny" name="by" value="1d">
            +1 day
          </button>
          <button class="second tiny" name="by" value="next" disabled={next}>
            To the next scheduled
          </button>
        </p>,
      )}
      <p class="soft small">Time only goes forward. It moves retries, schedules and expiry with it.</p>
    </section>
  )
}

function waitingSection(view: SandboxView): Markup {
  const { waiting } = view
  return (
    <section>
      {heading(
        view,
        <>
          Waiting to be told
          {waiting.length > 0 && (
            <>
              {' '}
              <span class="soft">{waiting.length}</span>
            </>
          )}
        </>,
      )}
      {waiting.map(({ id, recipient }) =>
        controlForm(
          view,
          'tell',
          <>
            <input type="hidden" name="ticket" value={id} />
            <p class="together told">
              <a href={`/messages/${id}`}>{phoneNumber(recipient)}</a>
              <span class="end">
                <button class="tiny" name="as" value="success">
                  Deliver now<span class="unseen"> {recipient}</span>
                </button>
                <button class="second tiny" name="as" value="failed">
                  Fail now<span class="unseen"> {recipient}</span>
                </button>
              </span>
            </p>
          </>,
        ),
      )}
      <p class="soft small">
        Messages to numbers that end in <code>00005</code> stay pending until you say.
      </p>
    </section>
  )
}

function sendersSection(view: SandboxView): Markup | false {
  const { pendingSenders } = view
  return (
    pendingSenders.length > 0 && (
      <section>
        {heading(
          view,
          <>
            Sender IDs that wait <span class="soft">{pendingSenders.length}</span>
          </>,
        )}
        {pendingSenders.map((sender) =>
          controlForm(
            view,
            'senders',
            <>
              <input type="hidden" name="sender" value={sender} />
              <p class="together">
                <bdi>{sender}</bdi>
                <span class="end">
                  <button class="tiny">
                    Approve
                    <span class="unseen">
                      {' '}
                      <bdi>{sender}</bdi>
                    </span>
                  </button>
                </span>
              </p>
            </>,
          ),
        )}
      </section>
    )
  )
}

function moneySection(view: SandboxView): Markup {
  return (
    <section>
      {heading(view, <>Play money</>)}
      {controlForm(
        view,
        'money',
        <p class="together">
          <button class="second tiny" name="do" value="add">
            Add {view.currency} 50
          </button>
          <button class="second tiny" name="do" value="empty">
            Empty the wallet
          </button>
        </p>,
      )}
    </section>
  )
}

function startOverSection(view: SandboxView): Markup | false {
  const { startOver, sent, currency } = view
  if (!startOver) return false
  const { start, running } = startOver
  if (running)
    return (
      <section>
        {heading(view, <>Start over</>)}
        <p role="status">
          The messages are being deleted. Requests are answered with 503 until that is done.
        </p>
      </section>
    )
  const messages = sent === 1 ? '1 message' : `${sent.toLocaleString('en')} messages`
  const yes = sent === 0 ? 'Yes, start over' : `Yes, delete ${messages}`
  return (
    <section>
      {heading(view, <>Start over</>)}
      <p class="soft small">
        Deletes every message, callback and ledger entry. The wallet goes back to {currency}{' '}
        {start.toLocaleString('en')}. Keys, sender IDs and assistants stay, and so does the time.
      </p>
      <details class="fold">
        <summary class="bad">Reset the sandbox</summary>
        {controlForm(view, 'start-over', <button class="danger">{yes}</button>)}
      </details>
    </section>
  )
}
