import type { EpochMs } from '../../../kernel/ids.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { OwnSession } from '../../../sign-in/portal/index.ts'
import { listTime } from '../../times.tsx'

const PROOFS: Readonly<Record<OwnSession['proof'], string>> = {
  password: 'password',
  passkey: 'passkey',
  code: 'password and code',
  'recovery code': 'password and recovery code',
  link: 'link',
  sandbox: 'one press',
}

/** Where a person is signed in, with forms to end it. */
export function sessionsPart(form: FormTicket, sessions: readonly OwnSession[], now: EpochMs): Markup {
  return (
    <section class="sheet" id="sessions">
      <h2>Where you are signed in</h2>
      <ul class="things">
        {sessions.map(({ id, proof, address, browser, name, createdAt, usedAt, isThis }) => (
          <li>
            <div>
              <strong>{browserName(browser)}</strong>
              {isThis && (
                <>
                  {' '}
                  <span class="soft">this one</span>
                </>
              )}
              <br />
              <span class="soft small">
                <bdi>{address}</bdi> · by {PROOFS[proof]} · in <bdi>{name}</bdi> · since{' '}
                {listTime(createdAt, now)}, last used {listTime(usedAt, now)}
              </span>
            </div>
            {!isThis && (
              <form method="post" action="/you/sessions/end" class="end">
                {ticketField(form)}
                <input type="hidden" name="id" value={id} />
                <button class="second tiny">
                  End it
                  <span class="unseen">
                    : {browserName(browser)} at {address}
                  </span>
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <form method="post" action="/you/sessions/others">
          {ticketField(form)}
          <p>
            <button class="second">End all the others</button>
          </p>
        </form>
      )}
    </section>
  )
}

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A name for a browser and its system: `Firefox on Windows`. */
function browserName(userAgent: string): string {
  const nameIn = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)]
  if (browser === undefined) return userAgent === '' ? 'A browser' : userAgent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
