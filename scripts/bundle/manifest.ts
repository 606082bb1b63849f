import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolCatalogue } from '@wigwag/mcp'

/** The file of the bundle that a host starts. */
export const PROGRAM = 'server/main.mjs'
export const ICON = 'icon.png'

/** A field that the host shows to the person, and the variable in which the connector gets its value. */
interface Field {
  variable: string
  type: 'string' | 'number' | 'boolean'
  title: string
  description: string
  required?: true
  sensitive?: true
  default?: string | number | boolean
  min?: number
}

/**
 * Every field has a default or must be filled in: a host may pass a field without either as `${user_config.…}`. Spend and
 * messages must be filled in, as on the consent page of a gateway and with its values, so that empty never means unlimited.
 */
const FIELDS: Readonly<Record<string, Field>> = {
  base_url: {
    variable: 'WIGWAG_BASE_URL',
    type: 'string',
    title: 'Address of the gateway',
    description: 'The web address of your SMS gateway, such as https://sms.example.com',
    required: true,
  },
  client_id: {
    variable: 'WIGWAG_CLIENT_ID',
    type: 'string',
    title: 'Client ID',
    description: 'From the operator of the gateway, with the two secrets below',
    required: true,
  },
  client_secret: {
    variable: 'WIGWAG_CLIENT_SECRET',
    type: 'string',
    title: 'Client secret',
    description: 'The secret that belongs to the client ID',
    required: true,
    sensitive: true,
  },
  wallet_token: {
    variable: 'WIGWAG_WALLET_TOKEN',
    type: 'string',
    title: 'Wallet token',
    description: 'The token of the wallet that messages are paid from',
    required: true,
    sensitive: true,
  },
  read_only: {
    variable: 'WIGWAG_MCP_READ_ONLY',
    type: 'boolean',
    title: 'Only read',
    description:
      'The assistant can look at messages, prices and the balance, but not send or cancel anything',
    default: false,
  },
  daily_spend: {
    variable: 'WIGWAG_MCP_DAILY_SPEND',
    type: 'number',
    title: 'Spend a day',
    description:
      'The most that messages may cost in a day, in the currency of the wallet. Days end at midnight UTC.',
    required: true,
    default: 5,
    min: 0,
  },
  daily_messages: {
    variable: 'WIGWAG_MCP_DAILY_MESSAGES',
    type: 'number',
    title: 'Messages a day',
    description: 'The most messages that may be sent in a day. Each recipient counts as one message.',
    required: true,
    default: 50,
    min: 0,
  },
  recipients: {
    variable: 'WIGWAG_MCP_RECIPIENTS',
    type: 'string',
    title: 'Recipients',
    description:
      'The only numbers that may be written to, with country code, separated by commas; a * at the end stands for any ' +
      'digits: 233241234567, 23320*. Empty means everyone.',
    default: '',
  },
  unasked: {
    variable: 'WIGWAG_MCP_UNASKED',
    type: 'string',
    title: 'When you can’t be asked',
    description:
      'Some assistants can’t show you a message before it goes out. Type send to let them send within the limits ' +
      'above, or refuse to have nothing sent.',
    default: 'send',
  },
}

/** The manifest of the bundle, after the specification that its version names. */
export function manifestOf(connector: string) {
  const { version, license, engines } = readJson(join(connector, 'package.json'))
  const { title, description } = readJson(join(connector, 'server.json'))
  const fields = Object.entries(FIELDS)
  return {
    manifest_version: '0.3',
    name: 'wigwag',
    display_name: title,
    version,
    description,
    author: { name: 'Wigwag' },
    license,
    icon: ICON,
    keywords: ['sms', 'text message', 'messaging'],
    server: {
      type: 'node',
      entry_point: PROGRAM,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${PROGRAM}`],
        env: Object.fromEntries(fields.map(([key, { variable }]) => [variable, `\${user_config.${key}}`])),
      },
    },
    tools: toolCatalogue.map((tool) => ({ name: tool.name, description: tool.description })),
    prompts_generated: true,
    compatibility: {
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: engines.node },
    },
    user_config: Object.fromEntries(fields.map(([key, { variable: _, ...shown }]) => [key, shown])),
  }
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
