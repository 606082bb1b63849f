/** In bytes, as the form limit counts. A list of recipients is larger than any other form. */
export const LARGEST_LIST = 2 * 1_024 * 1_024
/** What a form has besides its list. */
const REST_OF_FORM = 32 * 1_024

/** Why a list can't go through the form again: browsers post the end of a line as two bytes. */
export function tooLargeToPost(list: string): string | undefined {
  const lineEnds = list.split('\n').length
  if (Buffer.byteLength(list) + lineEnds <= LARGEST_LIST - REST_OF_FORM) return undefined
  return 'Expected a list of at most 2 MiB; got a longer one. Split it, and send its parts one after the other.'
}
