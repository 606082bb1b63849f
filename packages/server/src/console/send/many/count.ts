/** `1,204`, `1,204 messages`, `1 line`. */
export function countOf(count: number, one = '', many = `${one}s`): string {
  const figure = count.toLocaleString('en')
  return one === '' ? figure : `${figure} ${count === 1 ? one : many}`
}
