/** An event of a stream: its name, what it says, and the id to go on after. */
export interface StreamEvent {
  name: string
  data: string
  id: string | undefined
}

/** Takes a stream's text as it comes, in pieces of any size, and gives the events in it. */
export function createEventReader(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = ''
  return function take(text) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventOf(block)
      if (event) onEvent(event)
    }
  }
}

/** Undefined for comments. */
function eventOf(block: string): StreamEvent | undefined {
  const data: string[] = []
  let name = 'message'
  let id: string | undefined
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? []
    if (field === 'event') name = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n'), id }
}
