/** Has the browser make or use a passkey, and sends what it answers with the form. */
export function startPasskeys(): void {
  if (!('PublicKeyCredential' in window) || !PublicKeyCredential.parseCreationOptionsFromJSON) return
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    form.hidden = false
    const offer = form.hasAttribute('data-offered') ? offerIn(form) : undefined
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      offer?.abort()
      void send(form)
    })
  }
}

/** Lets the browser offer passkeys where it fills in the name. Only one request can wait, so it can be ended. */
function offerIn(form: HTMLFormElement): AbortController {
  const offer = new AbortController()
  void (async () => {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
    const answer = await answerOf(form, { mediation: 'conditional', signal: offer.signal })
    submitWith(form, answer)
  })().catch(() => {
    // The person signs in another way, or the browser has no passkey for this place.
  })
  return offer
}

async function send(form: HTMLFormElement): Promise<void> {
  const wrong = form.querySelector<HTMLElement>('.wrong')
  const button = form.querySelector('button')
  if (wrong) wrong.hidden = true
  if (button) button.disabled = true
  try {
    submitWith(form, await answerOf(form))
  } catch {
    // The person left it, or the browser has none.
    if (wrong) wrong.hidden = false
    if (button) button.disabled = false
  }
}

function submitWith(form: HTMLFormElement, answer: unknown): void {
  const input = form.querySelector<HTMLInputElement>('input[name="passkey"]')
  if (!input) return
  input.value = JSON.stringify(answer)
  // Without the event, so that this is not called again.
  form.submit()
}

async function answerOf(form: HTMLFormElement, how: CredentialRequestOptions = {}): Promise<unknown> {
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
          ...how,
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey')
  return credential.toJSON()
}

/** Puts the secret of a link, which is in the address's fragment, into the form, and takes it out of the address. */
export function startLink(): void {
  const input = document.querySelector<HTMLInputElement>('form[data-link] input[name="link"]')
  const secret = location.hash.slice(1)
  if (!input || secret === '') return
  input.value = secret
  history.replaceState(null, '', location.pathname)
}
