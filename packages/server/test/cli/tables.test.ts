import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startGateway(folder)
  account = await gateway.createAccount('tables@acme.example')
  writeFileSync(join(folder, 'list.csv'), 'To,Reference\n0241234567,a\n00233241234567,b\n')
})

/** Prints the rows of a list that would be refused, to a terminal of some width or to none. */
async function refusals(columns?: number, list = 'list.csv'): Promise<string> {
  const args = ['bulk', list, '--from', 'ACME', '--content', 'Hello', '--dry-run']
  const { stdout } = await runProgram(args, {
    cwd: folder,
    env: gateway.environmentOf(account),
    ...(columns !== undefined && { columns }),
  })
  return stdout.slice(stdout.indexOf('LINE'))
}

describe('a table', () => {
  it('is one line for each row where nothing says how wide it may be', async () => {
    const [head = '', ...rows] = (await refusals()).trimEnd().split('\n')
    expect(head).toMatch(/^LINE {2}TO +REFERENCE {2}STATUS +WHY$/)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^2 +0241234567 +a +refused +Expected .*; got "0241234567"\.$/)
  })

  it('is no wider than the terminal, and wraps its widest cells at their blanks', async () => {
    const lines = (await refusals(80)).trimEnd().split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(lines[0]).toMatch(/^LINE {2}TO +REFERENCE {2}STATUS +WHY$/)
    expect(lines.filter((line) => /^\d/.test(line))).toHaveLength(2)
    const at = lines[0]?.indexOf('WHY') ?? 0
    expect(
      lines
        .slice(1)
        .map((line) => line.slice(at).trim())
        .join(' '),
    ).toContain('Expected 7 to 15 digits beginning with a country code, which is never 0; got "0241234567".')
    for (const line of lines.slice(1)) expect(line.slice(at - 2, at)).toBe('  ')
  })

  it('is aligned also below characters that take two columns', async () => {
    writeFileSync(join(folder, 'wide.csv'), 'To,Reference\n0241234567,日本語の名前\n00233241234567,short\n')
    const [head = '', ...rows] = (await refusals(80, 'wide.csv')).trimEnd().split('\n')
    const columnsOf = (text: string) =>
      text.length + (text.match(/\p{Script=Han}|\p{Script=Hiragana}/gu) ?? []).length
    const at = rows
      .filter((row) => row.includes('refused'))
      .map((row) => columnsOf(row.split('refused')[0] ?? ''))
    expect(at).toEqual([head.indexOf('STATUS'), head.indexOf('STATUS')])
  })

  it('is as it is without a terminal where it fits', async () => {
    expect(await refusals(400)).toBe(await refusals())
  })

  it('is a block for each row where words alone are too wide, and cuts none of them', async () => {
    const { stdout } = await gateway.operate(['account', 'list'], { columns: 40 })
    expect(stdout).toContain(account.accountId)
    expect(stdout).not.toMatch(/^ACCOUNT .* NAME/m)
    expect(stdout).toMatch(new RegExp(`^\\S+ +${account.accountId}$`, 'm'))
  })

  it('is as wide as most of its rows want: a very long address makes its own row longer alone', async () => {
    const rows = async (columns?: number) => {
      const { stdout } = await gateway.operate(['account', 'list'], columns === undefined ? {} : { columns })
      return stdout.trimEnd().split('\n')
    }
    await gateway.createAccount('second@acme.example')
    const [before, narrow] = [await rows(), await rows(140)]
    const long = `${'long.'.repeat(40)}name@acme.example`
    await gateway.createAccount(long)
    for (const [now, then] of [
      [await rows(), before],
      [await rows(140), narrow],
    ] as const) {
      expect(now.slice(0, then.length)).toEqual(then)
      expect(now.slice(then.length).join('\n')).toContain(`${long}  Acme`)
    }
  })
})
