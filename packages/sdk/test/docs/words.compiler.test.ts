import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaints } from './compiler.ts'

const start = `import { createClient, type Recipient, type Status } from '@wigwag/sdk'
const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
declare const said: string
declare const status: Status
`

/** A program with a mistake in its last line, and what the compiler says of it. */
const mistakes: [string, string | RegExp][] = [
  [
    "sms.searchMessages({ Status: 'delivered' })",
    `Type '"delivered"' is not assignable to type 'KnownStatus | success | undefined'. Did you mean 'success'?`,
  ],
  ["sms.searchMessages({ Status: 'failled' })", /Did you mean '"failed"'\?$/],
  ['sms.searchMessages({ Status: status })', /Type 'NewerStatus' is not assignable to type 'KnownStatus/],
  [
    "if (status === 'delivered') console.log(said)",
    /the types 'Status' and '"delivered"' have no overlap\.$/,
  ],
  [
    "sms.sendToMany({ Content: 'Dear {Name}' }, [{ To: '233201234567', name: 'Ama' }])",
    /Property '"no row has the field Name"' is missing in type '{ To: string; name: string; }\[\]'/,
  ],
  [
    "sms.sendToMany({ Content: '\\\\{Name\\\\}, {Reference}' }, [{ To: '233201234567' }])",
    /Property '"no row has the field Reference"' is missing/,
  ],
  [
    "sms.sendToMany({ Content: '{Name} {Sum}' }, (async function* () { yield { To: '233201234567' } })())",
    /"no row has the field Name", "no row has the field Sum"$/,
  ],
]

/** The lists and texts that go out, or of which the compiler can't know. */
const right = `
export const rows = [{ To: '233201234567', Name: 'Ama', Sum: 3 }]
sms.sendToMany({ Content: 'Dear {Name}, {Sum}' }, rows)
sms.sendToMany({ Content: 'Open at nine' }, [{ To: '233201234567' }])
sms.sendToMany({ Content: '\\\\{Name\\\\} is text' }, [{ To: '233201234567' }])
sms.sendToMany({ Content: said }, [{ To: '233201234567' }])
sms.sendToMany({ Content: \`Dear {Name}, \${said}\` }, rows)
sms.sendToMany({ Content: \`Dear {\${said}}\` as const }, rows)
const message = { Content: 'Dear {Name}' }
sms.sendToMany(message, [{ To: '233201234567' }])
sms.sendToMany({ Content: 'Dear {Name}' }, [])
sms.sendToMany({ Content: 'Dear {Name}' }, [{ To: '233201234567', Name: 'Ama' }, { To: '233241234567' }])
declare const some: { To: string; Name?: string }[]
sms.sendToMany({ Content: 'Dear {Name}' }, some)
declare const either: AsyncIterable<{ To: string; Name: string } | { To: string }> | Iterable<Recipient & { Name: string }>
sms.sendToMany({ Content: 'Dear {Name}' }, either)
declare const ofCsv: Iterable<{ To: string } & Record<string, string>>
sms.sendToMany({ Content: 'Dear {Name}' }, ofCsv, { onProgress: ({ outcomes }) => console.log(outcomes[0]?.recipient.Name) })
declare const parsed: { list: any }
sms.sendToMany({ Content: 'Dear {Name}' }, parsed.list)
export async function all<Row extends Recipient>(list: Row[]) {
  await sms.sendToMany({ Content: 'Open at nine' }, list)
  const { outcomes } = await sms.sendToMany<Row>({ Content: 'Dear {Name}' }, list)
  return outcomes.map(({ recipient }): Row => recipient)
}
const words: string = status
if (status !== 'pending' && status !== 'success') console.log(words.length)
`

describe('the compiler', () => {
  const folder = join(import.meta.dirname, 'typed')
  const files = mistakes.map(([code], at): [string, string] => [
    join(folder, `mistake-${at}.ts`),
    start + code,
  ])
  const said = complaints(new Map([...files, [join(folder, 'right.ts'), start + right]]))
  const of = (name: string) =>
    said.flatMap((words) => (words.includes(`/${name}.ts:`) ? words.replace(/^\S+ /, '') : []))

  it.each(mistakes.map(([code, words], at) => ({ code, words, at })))('answers: $code', ({ words, at }) => {
    expect(of(`mistake-${at}`)).toEqual([words instanceof RegExp ? expect.stringMatching(words) : words])
  })

  it('takes each text that may have its fields in the rows', () => {
    expect(of('right')).toEqual([])
  })
})
