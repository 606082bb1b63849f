import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import {
  commandLineSample,
  curlSample,
  type SampleAccount,
  sampleAccount,
  typescriptSample,
} from '../../src/web/console/widgets/samples.ts'

const DEMO: SampleAccount = {
  baseUrl: 'http://127.0.0.1:8080',
  clientId: 'wc_4kq9Rm2xT7bLwQ1p',
  clientSecret: 'ws_play_7Yb3nKq0',
  walletToken: 'wt_play_c9Wq4LzT',
  callbackSecret: 'whsec_1',
}
const NASTY = [
  'Hello from Wigwag',
  'it\'s $(false) `id` "quoted" \\ $HOME !! \'; exit 7 #',
  "two\nlines, a tab\t and a bell\x07, \\n, and '",
  'end of a paste \x1b[201~\x9b201~ exit 7',
  'Maakye 🎉 موعدك',
  '',
  '-d @/etc/passwd',
]

const message = (text: string, key?: string) => ({ from: 'WIGWAG', to: '233241234567', text, key })

/** The words that a shell makes of a command, which is a function here. */
async function wordsOf(command: string, name: string): Promise<string[]> {
  const script = `${name}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const env = { WIGWAG_CLIENT_ID: 'wc_mine', WIGWAG_CLIENT_SECRET: 'ws_mine', WIGWAG_WALLET_TOKEN: 'wt_mine' }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
  return stdout.split('\0').slice(0, -1)
}

async function after(command: string, name: string, flag: string): Promise<string | undefined> {
  const words = await wordsOf(command, name)
  return words[words.indexOf(flag) + 1]
}

describe('samples of code', () => {
  it.each(NASTY)('give a shell exactly the text: %j', async (text) => {
    const body = await after(curlSample(DEMO, message(text, "a'key")), 'curl', '-d')
    expect(JSON.parse(body ?? '')).toEqual({ From: 'WIGWAG', To: '233241234567', Content: text })
    expect(await after(commandLineSample(DEMO, message(text)), 'npx', '--content')).toBe(text)
  })

  it.each(NASTY)('never hold a character that ends a paste: %j', (text) => {
    for (const sample of [curlSample, commandLineSample, typescriptSample]) {
      expect(sample(DEMO, message(text)).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    }
  })

  it.each(NASTY)('give TypeScript exactly the text: %j', (text) => {
    const sample = typescriptSample(DEMO, message(text, 'once'))
    const file = ts.createSourceFile('sample.ts', sample, ts.ScriptTarget.Latest, true)
    const texts: string[] = []
    const look = (node: ts.Node): void => {
      if (ts.isStringLiteral(node)) texts.push(node.text)
      node.forEachChild(look)
    }
    look(file)
    expect(texts).toEqual([
      '@wigwag/sdk',
      DEMO.baseUrl,
      DEMO.clientId,
      DEMO.clientSecret,
      DEMO.walletToken,
      'WIGWAG',
      '233241234567',
      text,
      'once',
    ])
  })

  it('have names of variables in place of secrets that may not be shown, which the shell puts in', async () => {
    const portal = { publicUrl: () => 'https://sms.example/', sandbox: undefined }
    const account = await sampleAccount({ accountId: 'someone' }, portal)
    const curl = curlSample(account, message('Hello'))
    expect(await after(curl, 'curl', '-u')).toBe('wc_mine:ws_mine')
    expect(await after(curl, 'curl', '-H')).toBe('X-Wallet: Token wt_mine')
    expect((await wordsOf(curl, 'curl'))[0]).toBe('https://sms.example/v1/messages/sms')
    // The client reads them by itself.
    expect(typescriptSample(account, message('Hello'))).toContain(
      "const sms = createClient({\n  baseUrl: 'https://sms.example',\n})",
    )
  })
})
