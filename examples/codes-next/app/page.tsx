'use client'

import { useState } from 'react'

type Step = 'phone' | 'code' | 'done'

export default function SignIn() {
  const [step, setStep] = useState<Step>('phone')
  const [phone, setPhone] = useState('')
  const [said, setSaid] = useState('')

  /** POST asks for a code, PUT checks one. */
  async function call(method: 'POST' | 'PUT', fields: object, next: Step) {
    const response = await fetch('/codes', { method, body: JSON.stringify(fields) })
    const { message } = await response.json()
    setSaid(message)
    if (response.ok) setStep(next)
  }

  return (
    <main>
      <h1>Sign in</h1>
      {step === 'phone' && (
        <form action={() => call('POST', { phone }, 'code')}>
          <label>
            Phone{' '}
            <input
              type="tel"
              autoComplete="tel"
              value={phone}
              onChange={(event) => setPhone(event.target.value)}
            />
          </label>{' '}
          <button>Send a code</button>
        </form>
      )}
      {step === 'code' && (
        <form action={(form) => call('PUT', { phone, code: form.get('code') }, 'done')}>
          <label>
            Code <input name="code" inputMode="numeric" autoComplete="one-time-code" />
          </label>{' '}
          <button>Sign in</button>
        </form>
      )}
      <p role="status">{said}</p>
    </main>
  )
}
