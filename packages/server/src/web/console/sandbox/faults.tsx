import type { Markup } from '../../../net/pages/markup.ts'
import { GATEWAY_FAULTS, RECEIVER_FAULTS } from '../../../sandbox/index.ts'
import { controlForm, heading, type SandboxView } from './view.tsx'

/** The switches for what goes wrong on purpose. */
export function faultsSection(view: SandboxView): Markup {
  const { faults, wrong } = view
  const typed = (name: string) => wrong?.given[`${name}-value`]
  const rows = [
    {
      name: 'slow',
      text: 'Carrier takes longer',
      on: wrong ? 'slow' in wrong.given : faults.slowMs !== undefined,
      field: textField(view, 'slow', 'By how long', typed('slow') ?? secondsOf(faults.slowMs ?? 2_000)),
    },
    {
      name: 'lost',
      text: 'Receipts get lost',
      on: wrong ? 'lost' in wrong.given : faults.lostPercent !== undefined,
      field: textField(view, 'lost', 'How many of them', typed('lost') ?? `${faults.lostPercent ?? 20} %`),
    },
    {
      name: 'receivers',
      text: 'Callback receivers answer',
      on: wrong ? 'receivers' in wrong.given : faults.receivers !== undefined,
      field: choice('receivers', 'What they answer', RECEIVER_FAULTS, typed('receivers') ?? faults.receivers),
    },
    {
      name: 'gateway',
      text: 'This gateway answers',
      on: wrong ? 'gateway' in wrong.given : faults.gateway !== undefined,
      field: choice('gateway', 'Which answer', GATEWAY_FAULTS, typed('gateway') ?? faults.gateway),
    },
  ]
  return (
    <section>
      {heading(view, <>Faults</>)}
      {controlForm(
        view,
        'faults',
        <>
          {rows.map(({ name, text, on, field }) => (
            <>
              <div class="on-off">
                <label>
                  <input type="checkbox" name={name} checked={on} />
                  <span>{text}</span>
                </label>
                {field}
              </div>
              {errorOf(view, name)}
            </>
          ))}
          <p class="together">
            <button>Apply faults</button>
            <button class="second" name="off" value="all">
              All off
            </button>
          </p>
        </>,
      )}
      <p class="soft small">They end with a restart.</p>
    </section>
  )
}

function secondsOf(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`
}

function textField({ ids, wrong }: SandboxView, name: 'slow' | 'lost', label: string, value: string): Markup {
  const id = `${ids}-${name}`
  const bad = wrong?.errors[name] !== undefined
  return (
    <input
      class="box"
      id={id}
      name={`${name}-value`}
      aria-label={label}
      value={value}
      aria-invalid={bad ? 'true' : undefined}
      aria-describedby={bad ? `${id}-error` : undefined}
    />
  )
}

function choice(name: string, label: string, options: readonly string[], chosen: string | undefined): Markup {
  return (
    <select class="box" name={`${name}-value`} aria-label={label}>
      {options.map((option) => (
        <option selected={option === chosen}>{option}</option>
      ))}
    </select>
  )
}

function errorOf({ ids, wrong }: SandboxView, name: string): Markup | false {
  const error = name === 'slow' || name === 'lost' ? wrong?.errors[name] : undefined
  return (
    error !== undefined && (
      <p class="wrong" id={`${ids}-${name}-error`}>
        {error}
      </p>
    )
  )
}
