/** The ways of a message, from the shortest to what users do. */
export const WAYS = {
  simulator: { smpp: false, callback: false },
  smpp: { smpp: true, callback: false },
  'simulator+callback': { smpp: false, callback: true },
  'smpp+callback': { smpp: true, callback: true },
}
export type Way = keyof typeof WAYS

export function isWay(text: string): text is Way {
  return text in WAYS
}
