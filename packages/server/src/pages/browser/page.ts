/** An element of the page by its id; undefined on pages that don't have it. */
export function byId(id: string): HTMLElement | undefined {
  return document.getElementById(id) ?? undefined
}

/** Has screen readers say something, after what they are saying. */
export function say(text: string): void {
  const says = byId('says')
  if (says) says.textContent = text
}

/** Puts a text into an element, if the page has it. */
export function setText(id: string, text: string): void {
  const element = byId(id)
  if (element && element.textContent !== text) element.textContent = text
}
