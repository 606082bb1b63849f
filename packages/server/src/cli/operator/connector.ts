import { Command } from 'commander'
import { connectorCheckCommand } from '../connector-check.ts'
import { withDatabase } from '../settings.ts'
import { lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
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
