/** Puts the secret of a link, which is in the address's fragment, into the form, and takes it out of the address. */
export function startLink(): void {
  const input = document.querySelector<HTMLInputElement>('form[data-link] input[name="link"]')
  const secret = location.hash.slice(1)
  if (!input || secret === '') return
  input.value = secret
  history.replaceState(null, '', location.pathname)
}
