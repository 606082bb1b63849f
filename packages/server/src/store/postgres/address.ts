/** A PostgreSQL address, as far as it says where to connect. */
export interface PostgresAddress {
  /** An address for each host, with everything else that was given. In their order. */
  hosts: readonly string[]
  /** Whether a standby will do for work that only reads. All other work needs a server that takes writes. */
  standbyWillDo: boolean
  /** The settings in its `options`, by their names. */
  settings: Readonly<Record<string, string>>
}

/** Scheme and user, hosts, the rest. The user's part ends with the last `@`, and may have commas. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i
const EXAMPLE = 'postgres://user@one:5432,two:5432/name'
/** Whether a standby will do. With the other values of PostgreSQL's own clients a gateway can't work. */
const TARGETS = new Map([
  ['any', true],
  ['primary', false],
  ['read-write', false],
])

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url)
}

/** Whether a password is in it, also where the rest of it is wrong. */
export function hasPassword(url: string): boolean {
  const [, before = '', , after = ''] = PARTS.exec(url) ?? []
  return /:\/\/[^:@]*:.*@/s.test(before) || /[?&](?:ssl)?password=/.test(after)
}

/**
 * Reads an address that may name several hosts, as PostgreSQL's own clients do: node-postgres knows one alone. Throws an
 * error that says what was expected, and shows nothing of the address, which may hold a password.
 */
export function readAddress(url: string): PostgresAddress {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  const options = new URLSearchParams(/\?([^#]*)/.exec(after)?.[1])
  if (options.getAll('host').some((host) => host.includes(',')))
    throw new Error(`expected several hosts before the name, as in ${EXAMPLE}, got them in ?host=`)
  const target = options.get('target_session_attrs') ?? 'any'
  const standbyWillDo = TARGETS.get(target)
  if (standbyWillDo === undefined)
    throw new Error(
      `expected target_session_attrs to be ${[...TARGETS.keys()].join(', ')}, got ${JSON.stringify(target)}`,
    )
  const settings = settingsIn(options.get('options') ?? '')
  if (!hosts.includes(',')) return { hosts: [url], standbyWillDo, settings }
  const each = hosts.split(',')
  const wrong = each.findIndex((host) => !isHost(host))
  if (wrong >= 0)
    throw new Error(
      `expected each host as name, name:port or [IPv6]:port, with commas in between as in ${EXAMPLE}; number ${wrong + 1} is none of these`,
    )
  return { hosts: each.map((host) => before + host + after), standbyWillDo, settings }
}

/** The settings among the flags of a server: `-c name=value` or `--name=value`, where a backslash keeps a blank. */
function settingsIn(flags: string): Record<string, string> {
  const found = flags.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/gs)
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [
      name.replaceAll('-', '_').toLowerCase(),
      value.replace(/\\(.)/gs, '$1'),
    ]),
  )
}

function isHost(text: string): boolean {
  const found = HOST.exec(text)
  if (!found) return false
  const port = Number(found[1] ?? 5432)
  return port > 0 && port < 65_536
}
