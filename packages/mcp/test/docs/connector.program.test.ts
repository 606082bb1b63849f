import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/cli/settings.ts'
import { startProgram } from '../fixtures/process.ts'
import { MAIN } from '../fixtures/program.ts'
import { EXIT } from '../interop/inspector/inspect.ts'
import { type Block, readDocument } from './blocks.ts'

const PACKAGES = join(import.meta.dirname, '../../..')
const SERVER = join(PACKAGES, 'server/dist/main.js')
const INSPECTOR = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode']

const guide = readDocument('docs/connector.md')
const lines = guide.blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
const started = 'npx -y @wigwag/mcp '

/** The commands that print what goes into a client, and what the guide says that they print. */
const printed = guide.blocks.flatMap(({ text }, index) =>
  text.startsWith(`${started}config`)
    ? [{ command: text, args: text.slice(started.length).split(' '), next: guide.blocks[index + 1]?.text }]
    : [],
)

/** A clone prints the command that starts it; the page shows what the published package prints. */
function asPublished(text: string): string {
  const [program, main] = [process.execPath, MAIN].map((path) => JSON.stringify(path))
  return text
    .replace(`${process.execPath} ${MAIN}`, started.trim())
    .replace(`"command": ${program}`, '"command": "npx"')
    .split('\n')
    .flatMap((line) => {
      const indent = line.slice(0, -line.trimStart().length)
      return line.trim() === main ? [`${indent}"-y",`, `${indent}"@wigwag/mcp"`] : line
    })
    .join('\n')
}

describe('the guide to connecting an assistant', () => {
  it('shows every client, over stdio and at a gateway', () => {
    const shown = printed.map(({ args }) => args.slice(1).join(' '))
    const url = '--url https://sms.example.com/mcp'
    expect(shown).toEqual([
      ...CLIENTS.map((client) => `--client ${client}`),
      `--client claude-code ${url}`,
      `--client claude-desktop ${url}`,
      ...['cursor', 'vscode'].flatMap((client) => [
        `--client ${client} ${url}`,
        `--client ${client} ${url} --link`,
      ]),
    ])
  })

  it.each(printed)('shows exactly what $command prints', async ({ args, next }) => {
    const { code, stdout } = await startProgram({}, args).ended
    expect(code).toBe(0)
    expect(next).toBe(asPublished(stdout.trimEnd()))
  })

  it('contains only valid JSON', () => {
    const json = guide.blocks.filter(({ language }) => language === 'json')
    expect(json.length).toBeGreaterThan(4)
    for (const { text } of json) expect(() => JSON.parse(text)).not.toThrow()
  })

  it('starts the connector with flags and variables that it accepts', () => {
    const [stdio, limit, signIn] = guide.blocks.filter(({ text }) => text.startsWith('export '))
    const variables = { ...variablesOf(stdio), ...variablesOf(limit) }
    expect(readSettings([], variables)).toMatchObject({
      kind: 'client',
      clientId: 'YOUR_CLIENT_ID',
      isLimitSaid: true,
      limits: { dailySpend: 5_000_000 },
    })
    const command = signIn?.text.split('\n').at(-1) ?? ''
    expect(readSettings(command.slice(started.length).split(' '), variablesOf(signIn))).toMatchObject({
      kind: 'sign-in',
      issuer: 'https://sms.example.com',
      resource: 'https://mcp.example.com/mcp',
      connectorId: 'YOUR_CONNECTOR_ID',
      connectorSecret: 'YOUR_CONNECTOR_SECRET',
      place: { host: '127.0.0.1', port: 8083 },
    })
  })

  it('has a line for the inspector that its present version takes', () => {
    const line = lines.find((text) => text.includes('modelcontextprotocol/inspector --cli')) ?? ''
    const words = line.replace('https://gateway.example', 'http://127.0.0.1:9').replace('…', 'token')
    const args = [...words.slice(words.indexOf('--cli')).matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, word]) => String(quoted ?? word),
    )
    const { status, stdout, stderr } = spawnSync(process.execPath, [INSPECTOR, ...args], { encoding: 'utf8' })
    expect(status, stdout + stderr).toBe(EXIT.unreachable)
  })

  const commands = new Set(lines.flatMap((line) => /^wigwag ([a-z-]+ [a-z-]+)/.exec(line)?.[1] ?? []))
  it.each([...commands])('names a command of the gateway: wigwag %s', (command) => {
    const said = execFileSync(process.execPath, [SERVER, ...command.split(' '), '--help'], {
      encoding: 'utf8',
    })
    expect(said).toMatch(new RegExp(`^Usage: wigwag ${command} `))
    for (const line of lines.filter((text) => text.startsWith(`wigwag ${command} `)))
      for (const [flag] of line.matchAll(/ --[a-z-]+/g)) expect(said).toContain(flag)
  })

  it('has no broken links', () => {
    expect(guide.links.length).toBeGreaterThan(5)
    for (const { path, anchor } of guide.links) {
      const { anchors } = readDocument(path)
      if (anchor !== undefined) expect(anchors).toContain(anchor)
    }
  })

  it('quotes error messages that exist', () => {
    const sources = globSync('{mcp,server,conform}/src/**/*.{ts,tsx}', { cwd: PACKAGES })
      .map((path) => readFileSync(join(PACKAGES, path), 'utf8'))
      .join('\n')
    const table = guide.text.slice(guide.text.indexOf('## When something is wrong'))
    const seen = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => [
      ...cell.matchAll(/`([^`]+)`/g),
    ])
    const quotes = seen.map(([, quote = '']) => quote).filter((quote) => quote.includes(' '))
    expect(quotes.length).toBeGreaterThan(4)
    // A reason in the sources may begin the sentence that is shown.
    const spoken = sources.toLowerCase()
    const parts = quotes.flatMap((quote) => quote.split('…'))
    expect(parts.filter((part) => !spoken.includes(part.toLowerCase()))).toEqual([])
  })
})

function variablesOf(block: Block | undefined): Record<string, string> {
  const found = block?.text.matchAll(/^export (\w+)=(\S+)$/gm) ?? []
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}
