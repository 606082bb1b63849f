/** What the doctor says of one thing. */
export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  detail: string
}
