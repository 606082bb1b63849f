/** Has the browser make or use a passkey, and sends what it answers with the form. */
export function startPasskeys(): void {
  if (!('PublicKeyCredential' in window) || !PublicKeyCredential.parseCreationOptionsFromJSON) return
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
  }
}

async function send(form: HTMLFormElement): Promise<void> {
  const wrong = form.querySelector<HTMLElement>('.wrong')
  const button = form.querySelector('button')
  if (wrong) wrong.hidden = true
  if (button) button.disabled = true
  try {
    const answer = await answerOf(form)
    const input = form.querySelector<HTMLInputElement>('input[name="passkey"]')
    if (!input) return
    input.value = JSON.stringify(answer)
    // Without the event, so that this is not called again.
    form.submit()
  } catch {
    // The person left it, or the browser has none.
    if (wrong) wrong.hidden = false
    if (button) button.disabled = false
  }
}

async function answerOf(form: HTMLFormElement): Promise<unknown> {
  const ticket = form.querySelector<HTMLInputElement>('input[name="form_ticket"]')
  const body = new URLSearchParams({ form_ticket: ticket?.value ?? '' })
  const response = await fetch(form.dataset.passkey ?? '', { method: 'POST', body, redirect: 'error' })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const options = await response.json()
  const credential =
    form.dataset.kind === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey')
  return credential.toJSON()
}
