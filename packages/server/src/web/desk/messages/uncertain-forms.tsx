import { field } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { hiddenFields } from '../frame/form.tsx'
import type { Visit } from '../frame/visit.ts'
import { PATH, type UncertainView } from './uncertain-list.tsx'

/** Chooses one of the carriers with uncertain messages, or, with the label `any`, none in particular. */
function carrierField(id: string, { sums, carrier }: UncertainView, any: string | undefined): Markup {
  const names = [...new Set(sums.map((sum) => sum.carrier))]
  return field({ id, label: 'Carrier' }, (ties) => (
    <select class="box" {...ties} name="carrier">
      {any !== undefined && <option value="">{any}</option>}
      {names.map((name) => (
        <option selected={name === carrier}>{name}</option>
      ))}
    </select>
  ))
}

/** Decides about all uncertain messages of a carrier. */
export function wholeCarrierForm({ form }: Visit, view: UncertainView): Markup {
  return (
    <section class="sheet">
      <h2>All of a carrier</h2>
      <p>If it took none of them, or all of them. Decides about those that are uncertain when you press.</p>
      <form method="post" action={`${PATH}/check`}>
        {hiddenFields(form, { by: 'carrier' })}
        {carrierField('all-carrier', view, undefined)}
        {field(
          { id: 'until', label: 'Handed over before', hint: 'Such as 6h, or a time in UTC; empty for now' },
          (ties) => (
            <input class="box" {...ties} name="until" autocomplete="off" />
          ),
        )}
        <p class="together">
          <button class="second" name="as" value="success">
            All were delivered
          </button>
          <button class="second" name="as" value="failed">
            None was delivered
          </button>
        </p>
      </form>
    </section>
  )
}

/** Decides by a file in which the carrier says the status of each message. */
export function carrierListForm({ form }: Visit, view: UncertainView): Markup {
  return (
    <section class="sheet">
      <h2>By the carrier’s list</h2>
      <p>
        A CSV file with the columns reference and status, or to, time and status. A reference is our ticket,
        or the carrier’s own; the time is when the carrier took the message, in UTC; a status is delivered or
        failed, undelivered, rejected or expired. A column message_id may say what the carrier calls it.
      </p>
      <p>
        <a href={`${PATH}/file.csv?${new URLSearchParams({ carrier: view.carrier }).toString()}`}>
          Download the list for the carrier
        </a>{' '}
        {view.carrier === '' ? (
          'has those of all carriers: choose one above first.'
        ) : (
          <>
            has those of <bdi>{view.carrier}</bdi>.
          </>
        )}
      </p>
      <form method="post" action={`${PATH}/check`} enctype="multipart/form-data">
        {hiddenFields(form, { by: 'list' })}
        {field({ id: 'file', label: 'File', hint: 'At most 1 MiB' }, (ties) => (
          <input
            class="box"
            type="file"
            {...ties}
            name="file"
            accept=".csv,.txt,text/csv,text/plain"
            required
          />
        ))}
        {carrierField('list-carrier', view, 'Whichever has them')}
        <p>
          <button class="second">See what it would decide</button>
        </p>
      </form>
    </section>
  )
}
