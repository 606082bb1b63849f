import { toDecimal } from '@wigwag/contract'
import { Argument, Command } from 'commander'
import type { ToolProgram } from '../../accounts/index.ts'
import { type ConnectionView, theirWords } from '../../assistants/index.ts'
import { connectorCheckCommand } from '../conform.ts'
import { withDatabase } from '../settings.ts'
import { counted, Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

export function connectorCommand(): Command {
  return new Command('connector')
    .description('Check a connector; manage standalone ones, which may exchange the tokens of assistants.')
    .addCommand(connectorCheckCommand())
    .addCommand(
      withJson(withAudit(new Command('add')))
        .description('Let a connector serve assistants at its own address.')
        .argument('<address>', 'where assistants reach it, such as https://mcp.example.com/mcp')
        .action(add),
    )
    .addCommand(
      withJson(withDatabase(new Command('list')))
        .description('List the connectors.')
        .action(list),
    )
    .addCommand(
      withJson(withAudit(new Command('remove')))
        .description('Remove a connector, so that it is refused from now on.')
        .argument('<connector>', 'its ID or address')
        .action(remove),
    )
}

async function add(address: string, flags: Flags): Promise<void> {
  const { id, secret, resource } = await withParts(flags, ({ standalone }) => standalone.add(address))
  const made = { connectorId: id, connectorSecret: secret, address: resource }
  const text = lines([
    ['connector ID', id],
    ['connector secret', secret],
    ['address', resource],
  ])
  output(flags, made, text)
  say('Keep it: the connector secret cannot be shown again.')
}

async function list(flags: Flags): Promise<void> {
  const found = await withParts(flags, ({ standalone }) => standalone.list())
  const rows = found.map(({ id, resource, createdAt }) => ({
    connectorId: id,
    address: resource,
    createdAt: new Date(createdAt).toISOString(),
  }))
  const cells = rows.map(({ connectorId, address, createdAt }) => [
    connectorId,
    address,
    createdAt.slice(0, 10),
  ])
  output(flags, rows, table(['CONNECTOR', 'ADDRESS', 'SINCE'], cells))
}

async function remove(idOrAddress: string, flags: Flags): Promise<void> {
  await withParts(flags, ({ standalone }) => standalone.remove(idOrAddress))
  output(flags, { removed: idOrAddress }, '')
  say(`${idOrAddress} can no longer exchange tokens.`)
}

interface ConnectionsFlags extends StoreFlags, OutputFlags {
  all?: true
}

export function accountConnectionsCommand(): Command {
  return withJson(withAudit(new Command('connections')))
    .description("List the connections of an account's assistants, or end them.")
    .argument('<account>', 'its ID or e-mail')
    .addArgument(new Argument('[action]', 'ends a connection, or all with --all').choices(['end']))
    .argument('[connection]', 'the ID of the connection to end')
    .option('--all', 'end all that are active')
    .addHelpText('after', HELP)
    .action(connections)
}

const HELP = `
Without an action, it lists the active connections, newest first, and those that
ended in the last 30 days. The next call of an assistant whose connection was
ended is refused, by every gateway. Programs that call the tools with API
credentials are listed too. They have no connection to end: wigwag account
rotate-secret replaces their secret.`

async function connections(
  account: string,
  action: 'end' | undefined,
  connection: string | undefined,
  flags: ConnectionsFlags,
): Promise<void> {
  if (action === 'end') return end(account, whichOf(connection, flags), flags)
  if (flags.all)
    throw new Failed('--all ends connections: expected wigwag account connections <account> end --all', 2)
  const [views, programs] = await withParts(flags, ({ operator: { connections } }) =>
    Promise.all([connections.list(account), connections.programs(account)]),
  )
  const shown = views.map(viewed)
  const connected = shown.map(({ connectionId, name, host, createdAt, lastUsedAt, endedAt, limits }) => [
    connectionId,
    endedAt === null ? 'active' : 'ended',
    createdAt.slice(0, 10),
    lastUsedAt?.slice(0, 10) ?? 'never',
    limits === null
      ? 'only reads'
      : `${limits.dailySpend} and ${counted(limits.dailyMessages, 'message')} a day`,
    `${theirWords(name) ?? 'no name'} at ${host}`,
  ])
  const credentials = programs.map(programOf)
  const cells = [
    ...connected,
    ...credentials.map(({ clientId, lastUsedAt }) => [
      `client:${clientId}`,
      'API secret',
      '',
      lastUsedAt.slice(0, 10),
      'as the settings of /mcp say',
      'a program with API credentials',
    ]),
  ]
  const headings = ['CONNECTION', 'STATUS', 'SINCE', 'LAST USED', 'MAY SEND', 'ASSISTANT']
  output(flags, [...shown, ...credentials], cells.length > 0 ? table(headings, cells) : '')
  if (cells.length === 0) say('No assistant is connected.')
}

function whichOf(connection: string | undefined, { all }: ConnectionsFlags): string {
  if (all && connection === undefined) return 'all'
  if (!all && connection !== undefined) return connection
  throw new Failed('expected the ID of one connection or --all, and not both', 2)
}

async function end(account: string, which: string, flags: ConnectionsFlags): Promise<void> {
  const ended = await withParts(flags, ({ operator }) => operator.connections.end(account, which))
  output(flags, { endedConnections: ended }, '')
  say(ended.length === 0 ? 'No connection was active.' : `${counted(ended.length, 'connection')} ended.`)
}

function programOf({ clientId, lastUsedAt }: ToolProgram) {
  return { clientId, lastUsedAt: new Date(lastUsedAt).toISOString() }
}

function viewed({ id, clientName, redirectHost, createdAt, lastUsedAt, endedAt, limits }: ConnectionView) {
  return {
    connectionId: id,
    name: clientName,
    host: redirectHost,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    limits: limits
      ? { ...limits, dailySpend: toDecimal(limits.dailySpend), recipients: limits.recipients ?? null }
      : null,
  }
}
