import { Command } from 'commander'
import { seconds, webUrl } from './arguments.ts'
import { findingLine } from './finding.ts'
import { connectorToken, showInBrowser } from './machine.ts'
import { stopSignal } from './stop-signal.ts'
import { counted, Failed, type OutputFlags, output, print, say, withJson } from './terminal.ts'

interface CheckFlags extends OutputFlags {
  browser: boolean
  timeout: number
}

const AFTER_HELP = `
It finds out where to sign in, opens a browser, reads the tools and the balance,
and ends the connection that it made. It sends nothing and changes nothing else.

With an access token in WIGWAG_CONNECTOR_TOKEN it does not sign in.

Exit code: 0 all is well, 1 something is wrong, 2 wrong usage.`

export function connectorCheckCommand(): Command {
  const command = new Command('check')
    .description('Use a connector as an assistant would, and say what is wrong and where.')
    .argument('<address>', 'what assistants are given, such as https://sms.example.com/mcp', webUrl)
    .option('--no-browser', 'only print the address to sign in at')
    .option('--timeout <seconds>', 'how long to wait for the sign-in', seconds, 300)
    .addHelpText('after', AFTER_HELP)
  return withJson(command).action(check)
}

async function check(address: string, flags: CheckFlags): Promise<void> {
  // The library of the protocol is large, and no other command needs it.
  const { checkConnector, CONNECTOR_CHECKS } = await import('@wigwag/conform')
  const width = Math.max(...CONNECTOR_CHECKS.map((name) => name.length))
  const stop = new AbortController()
  void stopSignal().then(() => stop.abort())
  const checked = await checkConnector({
    url: new URL(address).href,
    token: connectorToken(),
    timeoutMs: flags.timeout * 1_000,
    fetch,
    invite(url) {
      say(`Sign in and allow the check in a browser:\n\n  ${url}\n`)
      if (flags.browser) showInBrowser(url)
    },
    onFinding(finding) {
      if (!flags.json) print(findingLine(finding, width))
    },
    stopped: stop.signal,
  })
  output(flags, checked, '')
  const failed = checked.findings.filter(({ state }) => state === 'fail').length
  if (failed > 0) throw new Failed(`${counted(failed, 'check')} failed for ${checked.url}`)
  say(`An assistant can use ${checked.url}. ${checked.maySend ? 'It may send.' : 'It may only read.'}`)
}
