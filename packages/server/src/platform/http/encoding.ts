/** Whether a browser takes responses in an encoding. */
export function accepts(header: string | undefined, encoding: string): boolean {
  return new RegExp(`(^|[,\\s])${encoding}([,;\\s]|$)`).test(header ?? '')
}
