/** JSON as it is written, which can also say what values can't: a field that comes twice, a number beyond all numbers. */
export type Json = string | number | boolean | null | Raw | Fields | readonly Json[]

/** Text that stands in the document as it is. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An object, by its fields in order. */
export class Fields {
  readonly entries: readonly (readonly [string, Json])[]
  constructor(entries: readonly (readonly [string, Json])[]) {
    this.entries = entries
  }
}

export function write(json: Json): string {
  if (json instanceof Raw) return json.text
  if (json instanceof Fields)
    return `{${json.entries.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join()}}`
  if (typeof json === 'object' && json !== null) return `[${json.map(write).join()}]`
  return JSON.stringify(json)
}
